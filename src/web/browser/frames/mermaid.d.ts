/** The parts of Mermaid that the frame uses; the package's own types need those of its dependencies. */
declare module 'mermaid' {
  const mermaid: {
    initialize(config: object): void
    render(id: string, text: string): Promise<{ readonly svg: string }>
  }
  export default mermaid
}
