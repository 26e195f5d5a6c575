import { around } from './present.ts'

const dialogOf = (id: string | undefined): HTMLDialogElement | undefined => {
  if (id === undefined) return undefined
  return document.querySelector<HTMLDialogElement>(`dialog#${CSS.escape(id)}`) ?? undefined
}

document.addEventListener('click', (event) => {
  const dialog = dialogOf(around(event, '[data-opens]')?.dataset['opens'])
  // A link with such a key opens in another tab.
  if (dialog && !dialog.open && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
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

// The palette and the finder of files are loaded when they are opened first.
document.addEventListener('dialog-open', (event) => {
  const dialog = event.target
  if (!(dialog instanceof HTMLDialogElement)) return
  if (dialog.id === 'palette') void import('./palette.ts').then(({ openPalette }) => openPalette(dialog))
  if (dialog.id === 'finder') void import('./finder.ts').then(({ openFinder }) => openFinder(dialog))
})
