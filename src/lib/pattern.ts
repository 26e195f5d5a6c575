import { Invalid } from './errors.ts'

/** One element of a pattern: which characters it matches, and how often. */
export interface Atom {
  readonly fits: (character: string) => boolean
  /** The only matching character, if there is only one. */
  readonly literal?: string
  readonly times: 'once' | 'maybe' | 'some' | 'any'
}

/** Consumes no character: it matches after a folder, or at the start. */
export const folderEnd: Atom = { fits: () => false, times: 'maybe' }

export const literalAtom = (literal: string): Atom => ({ literal, fits: (each) => each === literal, times: 'once' })

export class PatternsTooCostly extends Invalid {
  constructor() {
    super('the patterns take too long to match these names; use fewer or simpler patterns', 'patterns_too_costly')
  }
}

/**
 * Maximum number of steps for matching untrusted patterns. Each match is linear in pattern and text, but thousands of patterns
 * may meet thousands of paths, so all matches of one request share a budget.
 */
export class MatchBudget {
  #left: number

  /** @param steps of about 25 ns each */
  constructor(steps = 5_000_000) {
    this.#left = steps
  }

  /** @throws PatternsTooCostly */
  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new PatternsTooCostly()
  }
}

/** Steps of a match that the first or last character decides. */
const shortMatchSteps = 0.5

/** Compiles a pattern to a state machine that follows all positions at once, without backtracking. */
export function compileAtoms(atoms: readonly Atom[], budget?: MatchBudget): (text: string) => boolean {
  const prefixLength = literalRun(atoms)
  const prefix = joined(atoms.slice(0, prefixLength))
  if (prefixLength === atoms.length) {
    return (text) => {
      budget?.spend(shortMatchSteps)
      return text === prefix
    }
  }
  const suffix = joined(atoms.slice(atoms.length - literalRun(atoms.toReversed())))
  const walk = walker(atoms, budget)
  return (text) => {
    budget?.spend(shortMatchSteps)
    return text.startsWith(prefix) && text.endsWith(suffix) && walk(text)
  }
}

function literalRun(atoms: readonly Atom[]): number {
  const end = atoms.findIndex(({ literal, times }) => literal === undefined || times !== 'once')
  return end < 0 ? atoms.length : end
}

const joined = (atoms: readonly Atom[]): string => atoms.map(({ literal }) => literal).join('')

function walker(atoms: readonly Atom[], budget: MatchBudget | undefined): (text: string) => boolean {
  /** Index of the character at which each position was last entered, so that it is entered once per character. */
  const reachedAt = new Float64Array(atoms.length + 1)
  let now = 0

  /** Adds a position, and those reachable from it without a character. */
  function enter(places: number[], first: number, last: string | undefined): void {
    for (let place = first; reachedAt[place] !== now; place++) {
      reachedAt[place] = now
      places.push(place)
      const atom = atoms[place]
      if (atom === undefined) return
      const isPassed =
        atom === folderEnd ? last === undefined || last === '/' : atom.times === 'maybe' || atom.times === 'any'
      if (!isPassed) return
    }
  }

  return (text) => {
    now++
    let places: number[] = []
    enter(places, 0, undefined)
    for (const character of text) {
      budget?.spend(places.length)
      now++
      const next: number[] = []
      for (const place of places) {
        const atom = atoms[place]
        if (atom === undefined || !atom.fits(character)) continue
        if (atom.times === 'some' || atom.times === 'any') enter(next, place, character)
        enter(next, place + 1, character)
      }
      if (next.length === 0) return false
      places = next
    }
    return places.includes(atoms.length)
  }
}
