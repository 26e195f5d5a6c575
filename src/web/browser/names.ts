import { onEach } from './present.ts'

/** How long typing rests before names are asked for. */
const restMs = 150

/** Fills the `datalist` of a field with the names of people, or the numbers of issues, that fit what is typed. */
function complete(field: HTMLElement): (() => void) | void {
  if (!(field instanceof HTMLInputElement) || !field.list) return
  const { list } = field
  let requested = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  const ask = async () => {
    const typed = field.value.trim()
    const isChosen = [...list.querySelectorAll('option')].some((option) => option.value === typed)
    if (typed === '' || typed === requested || isChosen) return
    requested = typed
    const url = new URL(field.dataset['namesUrl'] ?? '', location.href)
    url.searchParams.set('key', field.dataset['namesKey'] ?? '@')
    url.searchParams.set('q', typed.replace(/^[@#]/, ''))
    // Without an answer, a person types the whole name.
    const reply = await fetch(url, { headers: { accept: 'text/html' } }).catch(() => undefined)
    if (!reply?.ok || requested !== typed) return
    const holder = document.createElement('template')
    holder.innerHTML = await reply.text()
    list.replaceChildren(
      ...[...holder.content.querySelectorAll<HTMLElement>('[data-value]')].map((found) => {
        const option = document.createElement('option')
        option.value = (found.dataset['value'] ?? '').replace(/^@/, '')
        option.label = found.textContent?.trim() ?? option.value
        return option
      }),
    )
  }
  const onInput = () => {
    clearTimeout(timer)
    timer = setTimeout(() => void ask(), restMs)
  }
  field.addEventListener('input', onInput)
  return () => {
    clearTimeout(timer)
    field.removeEventListener('input', onInput)
  }
}

onEach('input[data-names-url]', complete)
