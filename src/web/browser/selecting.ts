import { onEach } from './present.ts'

/** Rows of a form that are ticked: their number, one box for all of a page, and one for all that the search finds. */
onEach('form[data-selecting]', (form) => {
  const name = form.dataset['selecting'] ?? ''
  const boxes = () => [...form.querySelectorAll<HTMLInputElement>(`input[type=checkbox][name="${name}"]`)]
  const ofPage = form.querySelector<HTMLInputElement>('[data-select-all]')
  const ofSearch = form.querySelector<HTMLInputElement>('[data-all]')
  const count = form.querySelector('[data-selected]')
  const show = () => {
    const rows = boxes()
    const ticked = rows.filter(({ checked }) => checked).length
    if (ofPage) {
      ofPage.checked = ticked > 0 && ticked === rows.length
      ofPage.indeterminate = ticked > 0 && ticked < rows.length
    }
    // Nothing is selected, so the bar with this box is out of sight.
    if (ofSearch && ticked === 0) ofSearch.checked = false
    if (count) count.textContent = ofSearch?.checked ? (ofSearch.dataset['all'] ?? '') : String(ticked)
  }
  const onChange = ({ target }: Event) => {
    if (target === ofPage && ofPage) for (const box of boxes()) box.checked = ofPage.checked
    if (target === ofSearch && ofSearch?.checked) for (const box of boxes()) box.checked = true
    if (target !== ofSearch && ofSearch && boxes().some(({ checked }) => !checked)) ofSearch.checked = false
    show()
  }
  form.addEventListener('change', onChange)
  // A refresh makes the boxes as the server sends them.
  document.addEventListener('turbo:render', show)
  show()
  return () => {
    form.removeEventListener('change', onChange)
    document.removeEventListener('turbo:render', show)
  }
})
