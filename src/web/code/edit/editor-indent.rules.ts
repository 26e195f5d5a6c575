import type { EditorconfigProperties } from '../../../code/contents/editorconfig.rules.ts'

/** How the editor indents a file. */
export interface Indent {
  /** `tab`, or a number of spaces; undefined: as the editor does. */
  readonly unit: 'tab' | number | undefined
  /** Width of a tab in columns; undefined: as the editor does. */
  readonly tabSize: number | undefined
}

/** Largest width that is taken from a file, in columns. */
const maxWidth = 16

const widthOf = (text: string | undefined): number | undefined => {
  const width = Number(text)
  return Number.isInteger(width) && width >= 1 && width <= maxWidth ? width : undefined
}

/** Returns how the editor indents, by `.editorconfig`; without a style there, with tabs if lines of the text begin with one. */
export function editorIndent(
  { indent_style: style, indent_size: size, tab_width: width }: EditorconfigProperties,
  text: string,
): Indent {
  const hasTabs = style === undefined ? /^\t/m.test(text) : style === 'tab'
  return { unit: hasTabs ? 'tab' : widthOf(size), tabSize: widthOf(width) ?? widthOf(size) }
}
