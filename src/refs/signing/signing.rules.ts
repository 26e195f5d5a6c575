/** Conditions for the instance to sign a commit, named as in the settings. */
export type SigningCondition =
  | 'pubkey'
  | 'twofa'
  | 'parentsigned'
  | 'basesigned'
  | 'headsigned'
  | 'commitssigned'
  | 'approved'

/** Facts about a commit to be made; each is looked up when a condition needs it. */
export type SigningFacts = Readonly<Record<SigningCondition, () => Promise<boolean>>>

/** Words of the setting that are not conditions. */
const plain = new Set(['never', 'always'])

/**
 * The conditions that must all hold before the instance signs. Undefined: it never signs, because of the word `never`
 * or an empty setting.
 */
export function signingConditions(words: readonly string[]): readonly SigningCondition[] | undefined {
  if (words.length === 0 || words.includes('never')) return undefined
  return [...new Set(words)].filter((word): word is SigningCondition => !plain.has(word))
}

export type TrustModel = 'collaborator' | 'committer' | 'collaboratorcommitter'

/** The trust model of a repository: its own, or that of the instance. */
export const trustModelOf = (ofRepo: string, ofInstance: string): TrustModel =>
  (ofRepo === 'committer' || ofRepo === 'collaborator' || ofRepo === 'collaboratorcommitter'
    ? ofRepo
    : ofInstance) as TrustModel

interface Person {
  readonly name: string
  readonly email: string
}

const isSame = (a: Person, b: Person): boolean => a.name === b.name && a.email === b.email

/**
 * The committer of a signed commit. With the models `committer` and `collaboratorcommitter` the signature must be the
 * committer's, so the instance becomes the committer, and trailers name the person: always with
 * `collaboratorcommitter`, else when the committer is not the author.
 */
export function signedAs<Someone extends Person>(
  model: TrustModel,
  instance: Person,
  people: { readonly author: Someone; readonly committer: Someone },
): { readonly committer: Someone; readonly trailers: readonly string[] } {
  const { author, committer } = people
  if (model === 'collaborator') return { committer, trailers: [] }
  const isNamed = model === 'collaboratorcommitter' || !isSame(author, committer)
  const person = `${committer.name} <${committer.email}>`
  return {
    committer: { ...committer, name: instance.name, email: instance.email },
    trailers: isNamed ? [`Co-authored-by: ${person}`, `Co-committed-by: ${person}`] : [],
  }
}
