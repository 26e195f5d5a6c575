import type { FormulaNode } from 'temml'
import { escapeHtml } from './html.ts'
import { wordTable } from '../lib/word-table.ts'

/** A rendered formula: its MathML, or why there is none. */
export type Formula = { readonly mathml: string } | { readonly problem: string }

/** The formulas of one text. Their number and size are bounded together. */
export interface Formulas {
  /** Renders TeX. A formula that fails or has no room says why. */
  render(tex: string, isBlock: boolean): Formula
}

/** Longest formula, in UTF-16 units. TeX becomes MathML in 1 to 8 µs for each. */
const maxLength = 10_000

/** Longest formula that defines macros, and the macros that it expands: each may have as many tokens as the formula. */
const maxDefiningLength = 1000
const maxDefinedExpansions = 50

/** Most macros that another formula expands. Macros of the library have few tokens. */
const maxExpansions = 1000

/** Most characters of the formulas of a text, and of their MathML. */
const maxTextLength = 128 * 1024
const maxTextOutput = 1024 * 1024

/** Most characters of MathML for a formula: a base and what each character of TeX may add. */
const baseOutput = 8000
const outputForEach = 30

/** Most nested elements: browsers lay out formulas recursively. */
const maxDepth = 100

/** Widest and highest gaps and rules, in em. */
const maxSize: [number, number] = [20, 20]

const definition =
  /\\(?:[gex]?def|(?:future)?let|(?:re|provide)?newcommand|renewcommand|providecommand|global|long)(?![a-zA-Z])/

/** Allowed elements of MathML Core, and `menclose`, which the style sheet draws. None of them contains HTML or runs anything. */
const allowedElements = new Set(
  (
    'mrow mi mn mo mtext ms mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mmultiscripts mprescripts ' +
    'mtable mtr mtd mpadded mphantom mstyle menclose'
  ).split(' '),
)

const truth = /^(?:true|false)$/
/** A length up to 20 em, and a negative one up to 2 em: more would reach over the text around the formula. */
const length =
  /^(?:(?:1?\d|20)?(?:\.\d{1,6})?(?:em|ex)?|-[01]?(?:\.\d{1,6})?(?:em|ex)|(?:[12]?\d{1,2})?(?:\.\d{1,6})?(?:pt|px|%))$/
const colour = /^(?:#[0-9a-f]{3,8}|[a-z]{3,30})$/i

/** Allowed attributes with the form of their values. */
const allowedAttributes = wordTable<RegExp>({
  accent: truth,
  accentunder: truth,
  depth: length,
  displaystyle: truth,
  fence: truth,
  form: /^(?:prefix|infix|postfix)$/,
  height: length,
  largeop: truth,
  linethickness: length,
  lspace: length,
  mathbackground: colour,
  mathcolor: colour,
  mathvariant: /^[a-z-]{1,30}$/,
  maxsize: length,
  minsize: length,
  movablelimits: truth,
  notation: /^[a-z ]{1,60}$/,
  rspace: length,
  scriptlevel: /^[+-]?\d$/,
  separator: truth,
  stretchy: truth,
  symmetric: truth,
  voffset: length,
  width: length,
})

/** Classes of the library that the style sheet of pages knows. */
const allowedClasses = new Set(
  (
    'tml-left tml-right tml-jot tml-small tml-cancel tml-xcancel upstrike downstrike sout tml-overline tml-underline tml-fbox ' +
    'tml-tag tml-prime tml-sml-pad tml-med-pad tml-lrg-pad'
  ).split(' '),
)

/** Largest product of nested sizes of letters. */
const maxScale = 5

class Refused extends Error {}

interface Writing {
  out: string
  readonly maxOutput: number
}

/** Writes a node of the library's tree as MathML, as far as the lists above allow it. */
function write(writing: Writing, node: FormulaNode, depth: number, scale: number): void {
  if (depth > maxDepth) throw new Refused('it is nested too deeply')
  if (writing.out.length > writing.maxOutput) throw new Refused('it is too large')
  if (node.text !== undefined) {
    writing.out += escapeHtml(node.text)
    return
  }
  // Fragments, and elements of HTML for links and numbers, have no type; their content remains.
  if (node.type === undefined) return writeAll(writing, node.children, depth, scale)
  // MathML Core has no element for an empty script.
  const tag = node.type === 'none' ? 'mrow' : node.type
  if (!allowedElements.has(tag)) throw new Refused(`the element ${tag} is not allowed`)
  const size = Number(/^(\d{1,2}(?:\.\d{1,6})?)em$/.exec(String(node.attributes?.['mathsize'] ?? ''))?.[1] ?? 1)
  const isSized = size !== 1 && size * scale <= maxScale
  writing.out += `<${tag}${attributesOf(node)}${isSized ? ` mathsize="${size}em"` : ''}${classesOf(node)}>`
  writeAll(writing, node.children, depth + 1, isSized ? scale * Math.max(1, size) : scale)
  writing.out += `</${tag}>`
}

function writeAll(writing: Writing, nodes: readonly FormulaNode[] | undefined, depth: number, scale: number): void {
  for (const node of nodes ?? []) write(writing, node, depth, scale)
}

/** The policy of pages forbids styles, so colours become attributes. */
function attributesOf({ attributes = {}, style = {} }: FormulaNode): string {
  const all = style['color'] === undefined ? attributes : { ...attributes, mathcolor: style['color'] }
  return Object.entries(all)
    .map(([name, value]) => {
      const text = String(value)
      return allowedAttributes[name]?.test(text) === true ? ` ${name}="${escapeHtml(text)}"` : ''
    })
    .join('')
}

/** Styles that a class can say: padding and lines of cells, boxes, and the sides of a numbered equation. */
function classesOf({ type, classes = [], style = {} }: FormulaNode): string {
  const kept = classes.filter((name) => allowedClasses.has(name))
  const is = (name: string, value: RegExp): boolean => value.test(String(style[name] ?? ''))
  if (type === 'mtd') {
    if (is('paddingLeft', /^0(?:em|pt)?$/)) kept.push('tml-flush-left')
    if (is('paddingRight', /^0(?:em|pt)?$/)) kept.push('tml-flush-right')
    if (is('width', /^50%$/)) kept.push('tml-half')
    for (const side of ['Left', 'Right', 'Top', 'Bottom']) {
      if (is(`border${side}`, /solid|dashed/)) kept.push(`tml-line-${side.toLowerCase()}`)
    }
  }
  if (type === 'mtable' && is('width', /^100%$/)) kept.push('tml-wide')
  if (type === 'mrow' && is('border', /solid/)) kept.push('tml-fbox')
  return kept.length === 0 ? '' : ` class="${kept.join(' ')}"`
}

/** Returns one line without the marks that the library sets below characters. */
const oneLine = (message: string): string =>
  message.replaceAll('\u0332', '').replace(/\s+/g, ' ').trim().slice(0, 200).toWellFormed()

/** Loads the library for the formulas of one text. */
export async function loadFormulas(): Promise<Formulas> {
  const { default: library } = await import('temml')
  const { __renderToMathMLTree: treeOf } = library
  let textLeft = maxTextLength
  let outputLeft = maxTextOutput

  function mathmlOf(tex: string, isBlock: boolean): string {
    const defines = definition.test(tex)
    if (tex.length > (defines ? maxDefiningLength : maxLength)) throw new Refused('it is too long')
    if (tex.length > textLeft) throw new Refused('the text has too many formulas')
    textLeft -= tex.length
    const tree = treeOf(tex, {
      displayMode: isBlock,
      throwOnError: true,
      trust: false,
      maxExpand: defines ? maxDefinedExpansions : maxExpansions,
      maxSize,
    })
    const maxOutput = Math.min(outputLeft, baseOutput + outputForEach * tex.length)
    const writing: Writing = { out: '', maxOutput }
    // The root is written here, whatever the library says of it.
    writeAll(writing, tree.type === 'math' ? tree.children : [tree], 0, 1)
    outputLeft -= writing.out.length
    return `<math${isBlock ? ' display="block"' : ''}>${writing.out}</math>`
  }

  return {
    render(tex, isBlock) {
      try {
        return { mathml: mathmlOf(tex, isBlock) }
      } catch (error) {
        // The library throws errors of several kinds for faulty input, and the engine one for deep nesting.
        const { name, message } = error as Error
        const reason = name === 'RangeError' ? 'it is nested too deeply' : message
        return { problem: oneLine(`This formula is not shown: ${reason}`) }
      }
    },
  }
}
