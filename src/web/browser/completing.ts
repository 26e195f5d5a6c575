/** How long typing rests before candidates are asked for. */
const restMs = 150

/** The item of a list at the cursor: from `start` to `end`, with blanks around it left out. */
interface Item {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Items of a line are separated by commas or blanks, those of a text area by line breaks. */
const separatorOf = (field: Field): RegExp => (field instanceof HTMLTextAreaElement ? /[\r\n]/ : /[\s,]/)

type Field = HTMLInputElement | HTMLTextAreaElement

function itemAt(field: Field): Item {
  const { value } = field
  const at = field.selectionStart ?? value.length
  const separator = separatorOf(field)
  let start = at
  while (start > 0 && !separator.test(value[start - 1] ?? '')) start--
  let end = at
  while (end < value.length && !separator.test(value[end] ?? '')) end++
  return { start, end, text: value.slice(start, end).trim() }
}

/** Completes the items of a field by the candidates of the address that its form names. Any other text can be typed too. */
export function connectCompleting(field: HTMLElement): (() => void) | void {
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return
  const address = field.closest<HTMLElement>('[data-candidates-url]')?.dataset['candidatesUrl']
  if (address === undefined) return
  let shown: HTMLElement | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let question = 0
  if (field instanceof HTMLInputElement) field.setAttribute('role', 'combobox')
  field.setAttribute('aria-autocomplete', 'list')
  field.setAttribute('aria-expanded', 'false')
  field.autocomplete = 'off'

  const options = () => [...(shown?.querySelectorAll<HTMLElement>('[role=option]') ?? [])]
  const close = () => {
    clearTimeout(timer)
    question++
    shown?.remove()
    shown = undefined
    field.setAttribute('aria-expanded', 'false')
    field.removeAttribute('aria-activedescendant')
    field.removeAttribute('aria-controls')
  }
  const select = (option: HTMLElement | undefined) => {
    for (const each of options()) each.setAttribute('aria-selected', String(each === option))
    if (option) field.setAttribute('aria-activedescendant', option.id)
    option?.scrollIntoView({ block: 'nearest' })
  }
  const take = (option: HTMLElement) => {
    const { start, end } = itemAt(field)
    const next = field instanceof HTMLTextAreaElement ? '\n' : ', '
    field.setRangeText((option.dataset['value'] ?? '') + next, start, end, 'end')
    close()
    field.dispatchEvent(new Event('input', { bubbles: true }))
    close()
    field.focus()
  }
  const show = (list: HTMLElement) => {
    const present = new Set(field.value.split(separatorOf(field)).map((item) => item.trim().toLowerCase()))
    for (const option of list.querySelectorAll<HTMLElement>('[role=option]')) {
      if (present.has((option.dataset['value'] ?? '').toLowerCase())) option.remove()
    }
    if (!list.querySelector('[role=option]')) return
    list.id = `${field.id}_candidates`
    list.classList.add('candidates')
    // A press would take the focus out of the field, which closes the list.
    list.addEventListener('mousedown', (event) => event.preventDefault())
    list.addEventListener('click', ({ target }) => {
      const option = target instanceof Element ? target.closest<HTMLElement>('[role=option]') : null
      if (option) take(option)
    })
    field.after(list)
    // The list makes the part around it the one that positions are relative to.
    list.style.top = `${field.offsetTop + field.offsetHeight}px`
    shown = list
    field.setAttribute('aria-expanded', 'true')
    field.setAttribute('aria-controls', list.id)
  }
  const ask = async () => {
    close()
    const asked = question
    const url = new URL(address, location.href)
    url.searchParams.set('list', field.dataset['completes'] ?? '')
    url.searchParams.set('q', itemAt(field).text)
    // Without an answer, a person types the whole name.
    const reply = await fetch(url, { headers: { accept: 'text/html' } }).catch(() => undefined)
    if (!reply?.ok) return
    const holder = document.createElement('template')
    holder.innerHTML = await reply.text()
    const list = holder.content.firstElementChild
    if (asked === question && document.activeElement === field && list instanceof HTMLElement) show(list)
  }
  const onInput = () => {
    clearTimeout(timer)
    timer = setTimeout(() => void ask(), restMs)
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const all = options()
    const current = all.findIndex((option) => option.getAttribute('aria-selected') === 'true')
    if (all.length === 0) {
      // In a text area, arrow keys move the cursor.
      if (step === 1 && field instanceof HTMLInputElement) void ask()
      return
    }
    const chosen = all[current]
    if (step !== 0) select(all.at(current < 0 && step > 0 ? 0 : (current + step) % all.length))
    else if (event.key === 'Enter' && chosen) take(chosen)
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  field.addEventListener('focus', onInput)
  field.addEventListener('input', onInput)
  field.addEventListener('keydown', onKey as EventListener)
  field.addEventListener('blur', close)
  if (document.activeElement === field) onInput()
  return () => {
    close()
    field.removeEventListener('focus', onInput)
    field.removeEventListener('input', onInput)
    field.removeEventListener('keydown', onKey as EventListener)
    field.removeEventListener('blur', close)
  }
}
