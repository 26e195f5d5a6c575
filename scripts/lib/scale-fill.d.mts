/** Types of what tests take of `scale-fill.mjs`. */
export type Size = Readonly<Record<string, number>>
export const smallSize: Size
export const askers: { readonly administrator: string; readonly person: string }
export function fillStatements(size: Size, kind: 'sqlite' | 'postgres', hookAddress?: string): string[]
