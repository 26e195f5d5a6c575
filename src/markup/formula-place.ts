import { escapeHtml } from './html.ts'
import type { RenderState } from './markdown-env.ts'
import { ownMark } from './sanitize.ts'

/** Longer formulas in lines scroll inside a box of their own when the line is too narrow; in characters. */
const maxUnboxed = 40

/**
 * Renders a formula and returns what stands in its place until the text is sanitised. The sanitiser knows no MathML: HTML parsers
 * treat elements of HTML inside of it by other rules, so people must not write any.
 */
export function renderFormula(state: RenderState, tex: string, isBlock: boolean): string {
  const result = state.formulas?.render(tex.trim(), isBlock)
  const source = escapeHtml(tex)
  if (result === undefined || 'problem' in result) {
    const title = result === undefined ? '' : ` title="${escapeHtml(result.problem)}"`
    const code = `<code class="language-math"${title}>${source}</code>`
    return isBlock && tex.includes('\n') ? `<pre class="code-block">${code}</pre>` : code
  }
  const isBoxed = isBlock || tex.length > maxUnboxed
  state.rendered.push(isBoxed ? `<span class="formula">${result.mathml}</span>` : result.mathml)
  return `<code class="language-math" data-formula="${ownMark}${state.rendered.length - 1}">${source}</code>`
}

/** Puts formulas into sanitised HTML. Only this program writes the attribute, see `ownMark`. */
export const putFormulas = (html: string, rendered: readonly string[]): string =>
  rendered.length === 0
    ? html
    : html.replace(
        /<code class="language-math" data-formula="(\d+)">[^<]*<\/code>/g,
        (place, index: string) => rendered[Number(index)] ?? place,
      )
