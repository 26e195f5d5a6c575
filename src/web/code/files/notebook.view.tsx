import { Markup } from '../../ui/parts.tsx'
import type { ShownCell, ShownNotebook } from './notebook.ts'
import type { NotebookOutput } from './notebook.rules.ts'
import { codeTexts as texts } from '../../languages/texts.ts'

/** A notebook: its texts, code and results. */
export const NotebookView = ({ cells, isCut }: ShownNotebook) => (
  <div class="notebook">
    {cells.map((cell) => (
      <Cell {...cell} />
    ))}
    {isCut ? <p class="muted small notebook-note">{texts.notebook.cut}</p> : null}
  </div>
)

const Cell = ({ kind, run, html, lines, outputs }: ShownCell) => (
  <div class={`notebook-cell ${kind}`}>
    <span class="notebook-run muted" aria-hidden={run === undefined ? 'true' : undefined}>
      {kind === 'code' ? `[${run ?? ' '}]` : null}
    </span>
    <div class="notebook-body">
      {html === undefined ? (
        <pre class="notebook-code" tabIndex={0}>
          <code dangerouslySetInnerHTML={{ __html: lines.join('\n') }} />
        </pre>
      ) : (
        <Markup html={html} />
      )}
      {outputs.map((output) => (
        <Output output={output} />
      ))}
    </div>
  </div>
)

const Output = ({ output }: { readonly output: NotebookOutput }) => {
  if (output.kind === 'image') {
    return <img class="notebook-image" src={`data:${output.type};base64,${output.base64}`} alt={texts.notebook.image} />
  }
  if (output.kind === 'left out') return <p class="muted small">{texts.notebook.leftOut}</p>
  return (
    <>
      <pre class={`notebook-output ${output.kind}`} tabIndex={0}>
        {output.text}
      </pre>
      {output.isCut ? <p class="muted small">{texts.notebook.outputCut}</p> : null}
    </>
  )
}
