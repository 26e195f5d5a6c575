/**
 * Forms whose answer does not come: the page says so, keeps the texts, and sends the form again on request. A form that adds
 * something has a key (`data-once` names its field), by which the server does nothing twice.
 */

/** Time after which nobody waits any longer, in milliseconds. Forms with files may take as long as they need. */
const patienceMs = 30_000

interface Submission {
  readonly submitter?: HTMLElement
  stop(): void
}

interface Ended {
  readonly formSubmission: Submission
  readonly success?: boolean
  readonly fetchResponse?: object
}

const detailOf = (event: Event) => (event as CustomEvent<Ended>).detail

/** The timers of forms on their way. */
const waiting = new Map<HTMLFormElement, number>()

/** Forms that were stopped because no answer came. */
const abandoned = new WeakSet<HTMLFormElement>()

const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

// In the capture phase, before Turbo reads the fields.
document.addEventListener(
  'submit',
  ({ target: form }) => {
    if (!(form instanceof HTMLFormElement)) return
    form.querySelector('[data-unsent]')?.remove()
    const name = form.dataset['once']
    if (name === undefined || form.elements.namedItem(name)) return
    const field = document.createElement('input')
    Object.assign(field, { type: 'hidden', name, value: randomKey() })
    form.append(field)
  },
  true,
)

/** Says below a form that it was not answered, with a button that sends it again. */
function sayUnsent(form: HTMLFormElement, submitter: HTMLElement | undefined): void {
  const template = document.querySelector<HTMLTemplateElement>('template#unsent')
  const copy = template?.content.cloneNode(true)
  const notice = copy instanceof DocumentFragment ? copy.firstElementChild : null
  if (!notice || !form.isConnected) return
  notice.querySelector('button')?.addEventListener('click', () => form.requestSubmit(submitter))
  form.append(notice)
  notice.querySelector('button')?.focus()
}

document.addEventListener('turbo:submit-start', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.method !== 'post') return
  const hasFiles = [...form.querySelectorAll<HTMLInputElement>('input[type=file]')].some((each) => each.files?.length)
  if (hasFiles) return
  const { formSubmission } = detailOf(event)
  const giveUp = () => {
    abandoned.add(form)
    formSubmission.stop()
  }
  waiting.set(form, setTimeout(giveUp, patienceMs))
})

document.addEventListener('turbo:submit-end', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.method !== 'post') return
  clearTimeout(waiting.get(form))
  waiting.delete(form)
  const { success, fetchResponse, formSubmission } = detailOf(event)
  const isUnanswered = abandoned.delete(form) || (success === false && fetchResponse === undefined)
  if (isUnanswered) return sayUnsent(form, formSubmission.submitter)
  // What stays on the page after an answer is another form.
  const name = form.dataset['once']
  const field = success && name !== undefined ? form.elements.namedItem(name) : null
  if (field instanceof HTMLInputElement) field.remove()
})
