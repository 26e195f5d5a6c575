import { around } from './present.ts'

const menus = 'details.menu'
const items = 'a[href], button:not(:disabled), input:not(:disabled), [tabindex="0"]'

const close = (menu: HTMLDetailsElement, refocus: boolean): void => {
  menu.open = false
  if (refocus) menu.querySelector('summary')?.focus()
}

const openMenus = () => document.querySelectorAll<HTMLDetailsElement>(`${menus}[open]`)

/** The items that a person sees; a filter may hide some. */
const visibleItems = (menu: HTMLElement): HTMLElement[] =>
  [...menu.querySelectorAll<HTMLElement>(items)].filter((item) => item.checkVisibility())

document.addEventListener('click', (event) => {
  for (const menu of openMenus()) if (!menu.contains(event.target as Node)) close(menu, false)
})

/** Forms that were sent as they are. */
const sent = new WeakSet<HTMLFormElement>()
const formOf = ({ target }: Event) => (target instanceof Element ? target.closest('form') : null)
document.addEventListener('submit', (event) => {
  const form = formOf(event)
  if (form) sent.add(form)
})
document.addEventListener('change', (event) => {
  const form = formOf(event)
  if (form) sent.delete(form)
})

const choiceForm = (menu: HTMLElement) => menu.querySelector<HTMLFormElement>('form[data-save-on-close]')

const isChanged = (form: HTMLFormElement): boolean =>
  [...form.elements].some((each) => each instanceof HTMLInputElement && each.checked !== each.defaultChecked)

/** Sends the choices of a menu that was closed, unless they are sent already. */
function saveChoices(menu: HTMLElement): void {
  const form = choiceForm(menu)
  if (form && menu.isConnected && !sent.has(form) && isChanged(form)) form.requestSubmit()
}

interface Ended {
  readonly success?: boolean
  readonly fetchResponse?: { readonly redirected: boolean }
}

const isUnsaved = (menu: HTMLElement): boolean => {
  const form = choiceForm(menu)
  return form !== null && !sent.has(form) && isChanged(form)
}

// The answer to choices would cancel what a click elsewhere begins, a visit or another form, and that would cancel the choices: the click
// counts again when they are saved. When they are not, the menu says why.
document.addEventListener(
  'click',
  (event) => {
    const target = around(event, 'a[href]:not([target]), button[type=submit]')
    const menu = [...openMenus()].find(isUnsaved)
    const form = menu && choiceForm(menu)
    if (!target || !menu || !form || form.contains(target)) return
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return
    event.preventDefault()
    event.stopImmediatePropagation()
    form.addEventListener(
      'turbo:submit-end',
      (end) => {
        const { success, fetchResponse } = (end as CustomEvent<Ended>).detail
        if (!success) return
        // Before the page of the answer, a visit would be cancelled by it.
        if (fetchResponse?.redirected) document.addEventListener('turbo:load', () => target.click(), { once: true })
        else target.click()
      },
      { once: true },
    )
    close(menu, false)
  },
  true,
)

// `toggle` does not bubble.
document.addEventListener(
  'toggle',
  (event) => {
    const menu = event.target
    if (!(menu instanceof HTMLDetailsElement) || !menu.matches(menus)) return
    if (!menu.open) return saveChoices(menu)
    for (const other of openMenus()) if (!other.contains(menu)) close(other, false)
    // A closed menu inside has a field of its own.
    const fields = menu.querySelectorAll<HTMLElement>('[autofocus]')
    ;[...fields].find((field) => field.checkVisibility())?.focus()
  },
  true,
)

document.addEventListener('keydown', (event) => {
  const menu = around(event, menus)
  if (!(menu instanceof HTMLDetailsElement)) return
  if (event.key === 'Escape' && menu.open) {
    event.preventDefault()
    event.stopPropagation()
    choiceForm(menu)?.reset()
    close(menu, true)
    return
  }
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0 || event.altKey || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  menu.open = true
  const all = visibleItems(menu)
  const current = all.indexOf(document.activeElement as HTMLElement)
  all.at(current < 0 && step > 0 ? 0 : (current + step) % all.length)?.focus()
})

interface Sent {
  readonly success?: boolean
  readonly formSubmission: { readonly submitter?: HTMLElement }
}

// A refresh closes no menu, so those around an accepted form or its button are closed here: they cover what changed.
document.addEventListener('turbo:submit-end', (event) => {
  const { success, formSubmission } = (event as CustomEvent<Sent>).detail
  const from = formSubmission.submitter ?? event.target
  if (success) for (const menu of openMenus()) if (menu.contains(from as Node)) close(menu, true)
  // Choices that were not answered are in the menu, with what is said of them.
  const menu = around(event, menus)
  if (!success && menu instanceof HTMLDetailsElement && menu.querySelector('form[data-save-on-close]')) menu.open = true
})

/** Whether a key was used last. A press of the pointer on a label inside a menu takes the focus out of it for a moment. */
let isByKey = false
document.addEventListener('keydown', () => (isByKey = true), true)
document.addEventListener('pointerdown', () => (isByKey = false), true)

// The Tab key leaves a menu; a click elsewhere closes it anyway.
document.addEventListener('focusout', (event) => {
  const menu = around(event, `${menus}[open]`)
  if (
    isByKey &&
    menu instanceof HTMLDetailsElement &&
    event.relatedTarget instanceof Node &&
    !menu.contains(event.relatedTarget)
  ) {
    close(menu, false)
  }
})

document.addEventListener('input', (event) => {
  const input = around(event, '[data-filter-list]')
  if (!(input instanceof HTMLInputElement)) return
  const list = document.querySelector(input.dataset['filterList'] ?? '')
  if (!list) return
  const wanted = input.value.trim().toLowerCase()
  let shown = 0
  for (const item of list.children) {
    if (!(item instanceof HTMLElement) || 'filterEmpty' in item.dataset) continue
    item.hidden = !('filterKeep' in item.dataset) && !(item.textContent ?? '').toLowerCase().includes(wanted)
    if (!item.hidden) shown++
  }
  for (const empty of list.querySelectorAll<HTMLElement>('[data-filter-empty]')) empty.hidden = shown > 0
})
