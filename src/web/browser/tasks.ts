import { onEach } from './present.ts'
import { isUnanswered } from './sending.ts'

/** The value that protects the forms of the page against cross-site request forgery. */
const csrf = (): string => document.querySelector<HTMLInputElement>('input[name=_csrf]')?.value ?? ''

/** The box that was ticked last: the text comes again after it was sent, and the focus returns to the box. */
let ticked: { readonly id: string; readonly position: string } | undefined

onEach('[data-tasks]', (holder) => {
  let boxes: readonly HTMLInputElement[] = []
  const prepare = () => {
    boxes = [...holder.querySelectorAll<HTMLInputElement>('input[type=checkbox][data-source-position]')]
    for (const box of boxes) {
      box.disabled = false
      box.ariaLabel = box.closest('li')?.textContent.trim().split('\n', 1)[0] ?? ''
    }
  }
  prepare()
  // A refresh, and the page of a refusal, make the boxes as the server sends them.
  document.addEventListener('turbo:render', prepare)
  if (ticked?.id === holder.id && document.activeElement === document.body) {
    boxes.find((box) => box.dataset['sourcePosition'] === ticked?.position)?.focus({ preventScroll: true })
    ticked = undefined
  }
  /** The request had no answer: the box is as it was, and can be ticked again. */
  const restore = (box: HTMLInputElement) => {
    for (const each of boxes) each.disabled = false
    box.checked = !box.checked
    box.focus({ preventScroll: true })
    const message = holder.querySelector('[role=alert]') ?? document.createElement('p')
    message.role = 'alert'
    message.className = 'wrong small'
    holder.prepend(message)
    message.textContent = holder.dataset['problem'] ?? ''
  }
  const onChange = (event: Event) => {
    const box = event.target
    const position = box instanceof HTMLInputElement ? box.dataset['sourcePosition'] : undefined
    if (!(box instanceof HTMLInputElement) || position === undefined) return
    ticked = { id: holder.id, position }
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
    form.addEventListener('turbo:submit-end', (end) => {
      form.remove()
      // A refusal comes with a page of its own.
      if (isUnanswered(end)) restore(box)
    })
    form.requestSubmit()
  }
  holder.addEventListener('change', onChange)
  return () => {
    document.removeEventListener('turbo:render', prepare)
    holder.removeEventListener('change', onChange)
  }
})
