import type { Suggestion } from '../../issues/references/suggestion.service.ts'

/** The list that completion shows; an empty list shows nothing. It has no icons, because it is not part of a page. */
export const SuggestionList = ({ found }: { readonly found: readonly Suggestion[] }) => (
  <ul role="listbox" class="suggestions">
    {found.map(({ value, text, detail }, index) => (
      <li role="option" id={`suggestion-${index}`} data-value={value}>
        <strong>{text}</strong>
        <span class="muted">{detail}</span>
      </li>
    ))}
  </ul>
)
