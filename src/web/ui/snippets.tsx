import { renderToString } from 'preact-render-to-string'
import type { RepoCtx } from '../../access/context.ts'
import { getSnippet, type LinePlace, type Snippet } from '../../code/contents/snippet.service.ts'
import { uiTexts as texts } from '../languages/texts.ts'

/** Most snippets of one text; further permalinks stay links. */
const maxSnippets = 10

/** A link that the renderer made from the bare address of lines at a commit of this site. */
const permalink =
  /^<a href="([^"]+)\/([\w.-]+)\/([\w.-]+)\/src\/commit\/([0-9a-f]{40}|[0-9a-f]{64})\/([^"?#]+)#L(\d{1,7})(?:-L?(\d{1,7}))?"[^>]*><code>[^<]*<\/code><\/a>$/

/** Returns the lines that a line of a text names; undefined for anything but a bare permalink. */
function placeOf(html: string, rootUrl: string): LinePlace | undefined {
  const [, root, owner = '', repo = '', commit = '', path = '', from = '', to = from] = permalink.exec(html) ?? []
  if (root === undefined || root !== rootUrl) return undefined
  const [first, last] = [Number(from), Number(to)]
  try {
    const place = { owner, repo, commit, path: decodeURIComponent(path.replaceAll('&amp;', '&')) }
    return { ...place, first: Math.max(1, Math.min(first, last)), last: Math.max(first, last) }
  } catch {
    // The address has a broken escape.
    return undefined
  }
}

/** Whether each element of a part ends in it, so that a paragraph may end beside it. */
const isBalanced = (html: string): boolean =>
  (html.match(/<(?!\/|img\b|input\b|br\b)[a-z]/g)?.length ?? 0) === (html.match(/<\//g)?.length ?? 0)

const paragraph = /(<p(?: [^>]*)?>)([^]*?)<\/p>/g
const lineBreak = /<br ?\/?>\n?/

/**
 * Puts the lines that bare permalinks of a text name in their places, as far as the viewer may read them; all others stay
 * links. It is made for each viewer after the text was rendered, which is cached for all.
 * @param html a rendered text
 */
export async function withSnippets(ctx: RepoCtx, html: string): Promise<string> {
  if (!html.includes('/src/commit/')) return html
  const { rootUrl } = ctx.config.server
  const found = new Map<string, Snippet & { readonly place: LinePlace }>()
  for (const [, , content = ''] of html.matchAll(paragraph)) {
    for (const line of content.split(lineBreak)) {
      const place = placeOf(line.trim(), rootUrl.replace(/\/$/, ''))
      if (place === undefined || found.size >= maxSnippets || found.has(line.trim())) continue
      // One by one: each takes from the budget of the request what the next one lacks.
      const snippet = await getSnippet(ctx, place)
      if (snippet) found.set(line.trim(), { ...snippet, place })
    }
  }
  if (found.size === 0) return html
  return html.replace(paragraph, (whole, begin: string, content: string) => {
    const parts: string[] = []
    let text: string[] = []
    const endText = () => {
      if (text.length > 0) parts.push(`${begin}${text.join('<br>\n')}</p>`)
      text = []
    }
    for (const line of content.split(lineBreak)) {
      const snippet = found.get(line.trim())
      const shown = snippet && renderToString(<SnippetView link={line.trim()} {...snippet} />)
      const fits = shown !== undefined && isBalanced(text.join('')) && ctx.budget.tryTake('outputBytes', shown.length)
      if (!fits) {
        text.push(line)
        continue
      }
      endText()
      parts.push(shown)
    }
    endText()
    return parts.length === 1 && parts[0]?.startsWith(begin) ? whole : parts.join('\n')
  })
}

const SnippetView = ({ link, place, lines, isCut }: Snippet & { readonly link: string; readonly place: LinePlace }) => (
  <figure class="snippet">
    <figcaption>
      <span dangerouslySetInnerHTML={{ __html: link }} />
      {isCut ? <span class="muted">{texts.snippetCut(place.first, place.first + lines.length - 1)}</span> : null}
    </figcaption>
    <div class="code-scroll" tabIndex={0} role="group" aria-label={texts.snippet(place.path)}>
      <table class="code-table">
        <tbody>
          {lines.map((line, index) => (
            <tr>
              <td class="num">{place.first + index}</td>
              <td class="text" dangerouslySetInnerHTML={{ __html: line }} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </figure>
)
