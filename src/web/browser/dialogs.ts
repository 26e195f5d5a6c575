import { around } from './present.ts'

const dialogOf = (id: string | undefined): HTMLDialogElement | undefined => {
  if (id === undefined) return undefined
  return document.querySelector<HTMLDialogElement>(`dialog#${CSS.escape(id)}`) ?? undefined
}

document.addEventListener('click', (event) => {
  const dialog = dialogOf(around(event, '[data-opens]')?.dataset['opens'])
  if (dialog && !dialog.open) {
    event.preventDefault()
    dialog.showModal()
    dialog.dispatchEvent(new Event('dialog-open', { bubbles: true }))
  }
  // The backdrop counts as the dialog itself.
  if (event.target instanceof HTMLDialogElement && event.target.matches(':modal')) {
    const { left, right, top, bottom } = event.target.getBoundingClientRect()
    const isInside = event.clientX >= left && event.clientX <= right && event.clientY >= top && event.clientY <= bottom
    if (!isInside && event.detail > 0) event.target.close()
  }
})

// The palette and its list of commands are loaded when it is opened first.
document.addEventListener('dialog-open', (event) => {
  if (event.target instanceof HTMLDialogElement && event.target.id === 'palette') {
    const dialog = event.target
    void import('./palette.ts').then(({ openPalette }) => openPalette(dialog))
  }
})
