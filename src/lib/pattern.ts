import { Invalid } from './errors.ts'

/** One step of a pattern: what a character must be, and how often it comes. */
export interface Atom {
  readonly fits: (character: string) => boolean
  /** The only character that fits, where there is only one. */
  readonly literal?: string
  readonly times: 'once' | 'maybe' | 'some' | 'any'
}

/** Takes no character: it stands where a folder ended, or at the beginning. */
export const folderEnd: Atom = { fits: () => false, times: 'maybe' }

export const literalAtom = (literal: string): Atom => ({ literal, fits: (each) => each === literal, times: 'once' })

export class PatternsTooCostly extends Invalid {
  constructor() {
    super('the patterns take too long to match these names; use fewer or simpler patterns', 'patterns_too_costly')
  }
}

/**
 * The steps that matching strangers' patterns may take. Each match takes time in proportion to pattern and text, but
 * thousands of patterns meet thousands of paths: all matches of one question share a budget.
 */
export class MatchBudget {
  #left: number

  /** @param steps about 25 ns each */
  constructor(steps = 5_000_000) {
    this.#left = steps
  }

  /** @throws PatternsTooCostly */
  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new PatternsTooCostly()
  }
}

/** The steps of a match that the beginning or the end of the text decides. */
const shortMatchSteps = 0.5

/** Compiles a pattern. Matching follows all places of the pattern at once, so that nothing is tried twice. */
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
  /** At which character each place was reached last, so that a place is entered once for each. */
  const reachedAt = new Float64Array(atoms.length + 1)
  let now = 0

  /** Adds a place, and the places behind it that are reached without a character. */
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
