import { around } from './present.ts'

const confirmed = new WeakSet<HTMLFormElement>()

/** Asks in a dialog made from `<template id="confirm-dialog">`, or with the browser's own when the page has none. */
async function ask(question: string, act: string | undefined): Promise<boolean> {
  const template = document.querySelector<HTMLTemplateElement>('template#confirm-dialog')
  const copy = template?.content.cloneNode(true)
  const dialog = copy instanceof DocumentFragment ? copy.querySelector('dialog') : null
  // oxlint-disable-next-line no-alert -- a page without the template
  if (!dialog) return confirm(question)
  const text = dialog.querySelector('[data-question]')
  if (text) text.textContent = question
  const yes = dialog.querySelector('button[value=yes]')
  if (yes && act !== undefined) yes.textContent = act
  document.body.append(dialog)
  dialog.showModal()
  await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }))
  dialog.remove()
  return dialog.returnValue === 'yes'
}

// In the capture phase, before Turbo takes the form.
document.addEventListener(
  'submit',
  (event) => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || confirmed.delete(form)) return
    const submitter = event.submitter
    const question = submitter?.dataset['confirm'] ?? form.dataset['confirm']
    if (question === undefined) return
    event.preventDefault()
    event.stopImmediatePropagation()
    const act = submitter?.dataset['confirmAct'] ?? submitter?.textContent?.trim()
    void ask(question, act === '' ? undefined : act).then((isSure) => {
      if (!isSure) return
      // The browser's own question is answered before the event ends, and until then it ignores the request.
      setTimeout(() => {
        confirmed.add(form)
        form.requestSubmit(submitter)
      })
    })
  },
  true,
)

type SubmitDetail = { readonly formSubmission: { readonly submitter?: HTMLElement } }
const submitterOf = (event: Event) => (event as CustomEvent<SubmitDetail>).detail.formSubmission.submitter

// Turbo disables the button while the form is sent.
document.addEventListener('turbo:submit-start', (event) => submitterOf(event)?.setAttribute('aria-busy', 'true'))
document.addEventListener('turbo:submit-end', (event) => submitterOf(event)?.removeAttribute('aria-busy'))

/** Buttons of forms that the browser sends itself (`data-turbo="false"`). */
const busy = new Set<HTMLElement>()

document.addEventListener('submit', (event) => {
  const submitter = event.submitter
  if (!(submitter instanceof HTMLButtonElement)) return
  if (!submitter.closest('[data-turbo=false]') && !around(event, '[data-turbo=false]')) return
  // After the browser has collected the fields, the button's own included.
  setTimeout(() => {
    if (event.defaultPrevented) return
    submitter.disabled = true
    submitter.setAttribute('aria-busy', 'true')
    busy.add(submitter)
  })
})
addEventListener('pageshow', () => {
  for (const button of busy) {
    button.removeAttribute('aria-busy')
    button.removeAttribute('disabled')
  }
  busy.clear()
})

document.addEventListener('change', (event) => {
  const field = around(event, '[data-autosubmit]')
  if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.form?.requestSubmit()
})

/** The button that a form is sent with: its main one, or else the last, where the usual act of a form is. */
function mainButton(form: HTMLFormElement): HTMLButtonElement | undefined {
  const buttons = [...form.elements].filter(
    (each): each is HTMLButtonElement =>
      each instanceof HTMLButtonElement && each.type === 'submit' && each.checkVisibility(),
  )
  return buttons.find((button) => button.matches('.primary')) ?? buttons.at(-1)
}

// Before the editor of code, which has its own meaning for these keys.
document.addEventListener(
  'keydown',
  (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    const field = around(event, 'textarea, input, select, .code-editor')
    const form = field?.closest('form')
    if (!form?.querySelector('textarea') || event.isComposing || event.repeat) return
    event.preventDefault()
    event.stopImmediatePropagation()
    const button = mainButton(form)
    if (button?.disabled === false) form.requestSubmit(button)
  },
  true,
)
