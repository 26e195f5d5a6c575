/**
 * What is not answered: a form, a page or a part of it. The page says so, keeps what it has, and asks again on request. Each form has a
 * key, by which the server does nothing twice (docs/decisions/0172-a-form-is-sent-once.md).
 */
import * as Turbo from '@hotwired/turbo'

/** Time after which nobody waits any longer, in milliseconds. Forms with files may take as long as they need. */
const patienceMs = 30_000

/** Name of the field with the key of a form. */
const keyName = '_once'

/** Answers of a busy server, and of a proxy whose server is away. */
const unavailable: ReadonlySet<number> = new Set([502, 503, 504])

interface Submission {
  readonly submitter?: HTMLElement
  stop(): void
}

interface Answer {
  readonly statusCode: number
}

interface Ended {
  readonly formSubmission: Submission
  readonly success?: boolean
  readonly fetchResponse?: Answer
}

const detailOf = (event: Event) => (event as CustomEvent<Ended>).detail

/** Returns whether the end of a form says that no answer to it came. */
export function isUnanswered(end: Event): boolean {
  const { success, fetchResponse } = detailOf(end)
  if (end.target instanceof HTMLFormElement && abandoned.has(end.target)) return true
  return success === false && (fetchResponse === undefined || unavailable.has(fetchResponse.statusCode))
}

/** Forms on their way, with their timers. */
const underWay = new Map<HTMLFormElement, number | undefined>()

/** Forms that were stopped because no answer came. */
const abandoned = new WeakSet<HTMLFormElement>()

/** Keys of forms that were sent and not accepted. A refused form has its key among its fields. */
const keys = new WeakMap<HTMLFormElement, string>()

const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

const isOwn = (form: HTMLFormElement): boolean =>
  form.method === 'post' && new URL(form.getAttribute('action') ?? '', location.href).origin === location.origin

// In the capture phase, before Turbo reads the fields.
document.addEventListener(
  'submit',
  (event) => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || !isOwn(form)) return
    if (underWay.has(form)) {
      event.preventDefault()
      event.stopImmediatePropagation()
      return
    }
    for (const notice of [...form.querySelectorAll('[data-unsent]'), ...noticesOfPage()]) notice.remove()
    if (!keys.has(form)) keys.set(form, randomKey())
  },
  true,
)
document.addEventListener('formdata', (event) => {
  const key = event.target instanceof HTMLFormElement ? keys.get(event.target) : undefined
  if (key !== undefined && !event.formData.has(keyName)) event.formData.set(keyName, key)
})
// A page that the browser shows again after it has sent a form itself.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) for (const form of document.forms) keys.delete(form)
})

const noticesOfPage = () => document.querySelectorAll('[data-unanswered]')

/** Makes a notice from a template, with a button that asks again. */
function noticeFrom(id: 'unsent' | 'unloaded', status: number | undefined, again: () => void): HTMLElement | undefined {
  const template = document.querySelector<HTMLTemplateElement>(`template#${id}`)
  const copy = template?.content.cloneNode(true)
  const notice = copy instanceof DocumentFragment ? copy.firstElementChild : null
  if (!(notice instanceof HTMLElement)) return undefined
  const what = notice.querySelector<HTMLElement>('[data-busy]')
  if (what && status !== undefined) what.textContent = what.dataset['busy'] ?? ''
  notice.querySelector('button')?.addEventListener('click', () => {
    notice.remove()
    again()
  })
  return notice
}

/** Shows a notice over the page, in place of another one. */
function showOnPage(notice: HTMLElement): void {
  for (const other of noticesOfPage()) other.remove()
  notice.classList.add('unanswered')
  notice.dataset['unanswered'] = ''
  document.body.append(notice)
}

/** Whether somebody fills in a form: then its notice stands below its fields. */
const isFilledIn = (form: HTMLFormElement): boolean =>
  [...form.elements].some(
    (each) => each.matches('textarea, select, input:not([type=hidden], [type=submit])') && each.checkVisibility(),
  )

/** Says that a form was not answered, with a button that sends it again. */
function sayUnsent(form: HTMLFormElement, submitter: HTMLElement | undefined, status: number | undefined): void {
  const notice = noticeFrom('unsent', status, () => form.requestSubmit(submitter?.isConnected ? submitter : null))
  if (!notice || !form.isConnected) return
  notice.dataset['unsent'] = ''
  if (isFilledIn(form)) form.append(notice)
  else showOnPage(notice)
  notice.querySelector('button')?.focus()
}

document.addEventListener('turbo:submit-start', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.method !== 'post') return
  const hasFiles = [...form.querySelectorAll<HTMLInputElement>('input[type=file]')].some((each) => each.files?.length)
  const { formSubmission } = detailOf(event)
  const giveUp = () => {
    abandoned.add(form)
    formSubmission.stop()
  }
  underWay.set(form, hasFiles ? undefined : setTimeout(giveUp, patienceMs))
})

document.addEventListener('turbo:submit-end', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement)) return
  clearTimeout(underWay.get(form))
  underWay.delete(form)
  const { success, fetchResponse, formSubmission } = detailOf(event)
  const { submitter } = formSubmission
  // What stays on the page after an answer is another form.
  if (success) keys.delete(form)
  if (isUnanswered(event)) {
    if (form.method === 'post') sayUnsent(form, submitter, fetchResponse?.statusCode)
    // An answer is a page.
    else if (!fetchResponse) sayUnloaded(() => form.requestSubmit(submitter), undefined, true)
  }
  abandoned.delete(form)
  if (underWay.size > 0 || postponed.length === 0) return
  setTimeout(() => {
    for (const refresh of postponed.splice(0)) refresh()
  }, afterAnswerMs)
})

/** Time that the page of an answer may take, in milliseconds, before a refresh would cancel it. */
const afterAnswerMs = 500

const postponed: (() => void)[] = []

/** Loads the page again, after the forms on their way: a visit would cancel them. */
export function whenNothingIsSent(refresh: () => void): void {
  if (underWay.size === 0) refresh()
  else postponed.push(refresh)
}

/** A frame of Turbo. */
interface Frame extends HTMLElement {
  readonly loading: 'lazy' | 'eager'
  readonly reload: () => Promise<void>
}

const isFrame = (target: EventTarget | null): target is Frame =>
  target instanceof HTMLElement && target.localName === 'turbo-frame'

/** What could not be loaded, and is loaded when the network is there again. */
let unloaded: (() => void) | undefined

/** Says that a page or a part of it was not loaded. @param isAsked somebody waits for it */
function sayUnloaded(again: () => void, status: number | undefined, isAsked: boolean): void {
  unloaded = () => {
    unloaded = undefined
    again()
  }
  const notice = noticeFrom('unloaded', status, unloaded)
  if (!notice) return
  showOnPage(notice)
  if (isAsked) notice.querySelector('button')?.focus()
}
addEventListener('online', () => unloaded?.())
document.addEventListener('turbo:render', () => (unloaded = undefined))

/** Stops a visit that has no answer. Returns false when it is left to the browser. */
function stopVisit(status: number | undefined): boolean {
  const visit = Turbo.navigator.currentVisit
  // After the Back button the address is that of the other page already, so the browser shows it.
  if (!visit || visit.action === 'restore') return false
  const { href } = visit.location
  const isRefresh = visit.action === 'replace'
  // A page of the server says more, and has the address of what was asked for.
  if (status !== undefined && !isRefresh) return false
  visit.fail()
  sayUnloaded(() => Turbo.visit(href, { action: isRefresh ? 'replace' : 'advance' }), status, !isRefresh)
  return true
}

document.addEventListener('turbo:fetch-request-error', (event) => {
  const { target } = event
  // Forms end, and `turbo:submit-end` says how.
  if (target instanceof HTMLFormElement) return
  if (isFrame(target)) sayUnloaded(() => void target.reload(), undefined, target.loading !== 'lazy')
  else if (stopVisit(undefined)) event.preventDefault()
})
document.addEventListener('turbo:before-fetch-response', (event) => {
  const { target } = event
  const { statusCode } = (event as CustomEvent<{ fetchResponse: Answer }>).detail.fetchResponse
  if (!unavailable.has(statusCode)) return
  if (target instanceof HTMLFormElement) {
    // The page with the form stays.
    if (target.method === 'post') event.preventDefault()
  } else if (isFrame(target)) {
    event.preventDefault()
    sayUnloaded(() => void target.reload(), statusCode, target.loading !== 'lazy')
  } else if (stopVisit(statusCode)) event.preventDefault()
})

// A refresh of the page leaves what was not answered.
document.addEventListener('turbo:before-morph-element', (event) => {
  if (event.target instanceof Element && event.target.matches('[data-unsent]')) event.preventDefault()
})
