declare module 'temml' {
  /** A node of the tree of a formula: an element of MathML, a text, or a fragment without a type. */
  export interface FormulaNode {
    readonly type?: string
    readonly text?: string
    readonly attributes?: Readonly<Record<string, string | number | boolean>>
    readonly classes?: readonly string[]
    readonly style?: Readonly<Record<string, string | number>>
    readonly children?: readonly FormulaNode[]
  }
  const temml: {
    readonly __renderToMathMLTree: (tex: string, options: object) => FormulaNode
  }
  export default temml
}
