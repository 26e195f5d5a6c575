/**
 * The table of numbered lines. It is assembled as text, because a page shows thousands of lines.
 * @param lines safe HTML from `texts.lines`
 */
export const CodeLines = ({
  lines,
  first,
  label,
}: {
  readonly lines: readonly string[]
  /** Number of the first line. */
  readonly first: number
  readonly label: string
}) => {
  const rows = lines.map((line, index) => {
    const number = first + index
    return `<tr id="L${number}"><td class="num"><a href="#L${number}">${number}</a></td><td class="text">${line}</td></tr>`
  })
  return (
    <div class="code-scroll" data-lines tabIndex={0} role="region" aria-label={label}>
      <table class="code-table" dangerouslySetInnerHTML={{ __html: `<tbody>${rows.join('')}</tbody>` }} />
    </div>
  )
}
