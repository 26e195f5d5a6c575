import { onEach } from './present.ts'

/** The value that protects the forms of the page against cross-site request forgery. */
const csrf = (): string => document.querySelector<HTMLInputElement>('input[name=_csrf]')?.value ?? ''

onEach('[data-tasks]', (holder) => {
  const boxes = [...holder.querySelectorAll<HTMLInputElement>('input[type=checkbox][data-source-position]')]
  for (const box of boxes) {
    box.disabled = false
    box.ariaLabel = box.closest('li')?.textContent.trim().split('\n', 1)[0] ?? ''
  }
  const onChange = (event: Event) => {
    const box = event.target
    const position = box instanceof HTMLInputElement ? box.dataset['sourcePosition'] : undefined
    if (!(box instanceof HTMLInputElement) || position === undefined) return
    for (const each of boxes) each.disabled = true
    const form = document.createElement('form')
    form.method = 'post'
    form.action = holder.dataset['tasks'] ?? ''
    const fields = { _csrf: csrf(), position, checked: String(box.checked), version: holder.dataset['version'] ?? '' }
    for (const [name, value] of Object.entries(fields)) {
      form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))
    }
    form.hidden = true
    document.body.append(form)
    form.addEventListener('turbo:submit-end', () => form.remove())
    form.requestSubmit()
  }
  holder.addEventListener('change', onChange)
  return () => holder.removeEventListener('change', onChange)
})
