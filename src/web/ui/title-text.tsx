/**
 * The title of an issue, a pull request or a commit: what stands between two backticks is code. Attributes and the title of
 * the document take the text as it is.
 */
export const TitleText = ({ text }: { readonly text: string }) => {
  // Each second part was between backticks.
  const parts = text.split(/`([^`]+)`/)
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code class="in-title">{part}</code> : part))}</>
}
