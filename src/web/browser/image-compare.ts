/** Lays the images of both sides over each other. The style sheet does so by the mode and the share of the new image. */
export function connectImages(holder: HTMLElement): () => void {
  const buttons = [...holder.querySelectorAll<HTMLElement>('[data-compare-mode]')]
  const range = holder.querySelector<HTMLInputElement>('input[type=range]')
  const show = () => holder.style.setProperty('--share', `${range?.value ?? 50}%`)
  const onClick = (event: Event) => {
    const chosen = buttons.find((button) => button.contains(event.target as Node))
    if (!chosen) return
    const mode = chosen.dataset['compareMode'] ?? 'sides'
    holder.dataset['compare'] = mode
    for (const button of buttons) button.ariaPressed = String(button === chosen)
    if (range) range.hidden = mode === 'sides'
    show()
  }
  holder.addEventListener('click', onClick)
  range?.addEventListener('input', show)
  return () => {
    holder.removeEventListener('click', onClick)
    range?.removeEventListener('input', show)
  }
}
