/** The parts of Turbo that these scripts use; the package has no types. */
declare module '@hotwired/turbo' {
  export const config: {
    readonly drive: { unvisitableExtensions: ReadonlySet<string> }
  }
  /** Loads a page as a click on a link would. The same address with `replace` is a refresh. */
  export function visit(location: string, options?: { readonly action?: 'advance' | 'replace' }): void
  interface Visit {
    readonly location: URL
    readonly action: 'advance' | 'replace' | 'restore'
    /** Ends it without a page. */
    fail(): void
  }
  /** What is being loaded in place of the page. */
  export const navigator: { readonly currentVisit?: Visit }
  /** The pages that the Back button shows without asking the server. */
  export const cache: { clear(): void }
  /** Renders a Turbo stream. */
  export function renderStreamMessage(message: string): void
}
