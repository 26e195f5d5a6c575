/** The parts of Turndown that these scripts use; the package has no types. */
declare module 'turndown' {
  interface Rule {
    readonly filter: string | readonly string[] | ((node: HTMLElement) => boolean)
    readonly replacement: (content: string, node: HTMLElement) => string
  }
  export default class TurndownService {
    constructor(options: Readonly<Record<string, string>>)
    addRule(name: string, rule: Rule): this
    /** Leaves elements as HTML. */
    keep(elements: readonly string[]): this
    turndown(html: Node | string): string
  }
}
