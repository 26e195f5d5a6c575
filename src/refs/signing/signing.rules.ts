/** What may be asked for before the instance signs a commit; the words of the family's settings. */
export type SigningCondition =
  | 'pubkey'
  | 'twofa'
  | 'parentsigned'
  | 'basesigned'
  | 'headsigned'
  | 'commitssigned'
  | 'approved'

/** What is known of a commit that is about to be made; each is looked up when a condition asks for it. */
export type SigningFacts = Readonly<Record<SigningCondition, () => Promise<boolean>>>

/** Words that ask for nothing more. */
const plain = new Set(['never', 'always'])

/**
 * What must hold before a commit is signed: all of it. Undefined: it never is, which one `never` among the words decides, and so
 * does no word at all.
 */
export function signingConditions(words: readonly string[]): readonly SigningCondition[] | undefined {
  if (words.length === 0 || words.includes('never')) return undefined
  return [...new Set(words)].filter((word): word is SigningCondition => !plain.has(word))
}

export type TrustModel = 'collaborator' | 'committer' | 'collaboratorcommitter'

/** The trust model that counts for a repository: its own word, or that of the instance. */
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
 * Who a signed commit names. Where a signature has to be the committer's (`committer`, `collaboratorcommitter`) that is the
 * instance, and who it was stands below the message: always where collaborators are to be told apart, else when they are not
 * the author anyway.
 */
export function signedAs<Someone extends Person>(
  model: TrustModel,
  instance: Person,
  people: { readonly author: Someone; readonly committer: Someone },
): { readonly committer: Someone; readonly trailers: readonly string[] } {
  const { author, committer } = people
  if (model === 'collaborator') return { committer, trailers: [] }
  const isTold = model === 'collaboratorcommitter' || !isSame(author, committer)
  const person = `${committer.name} <${committer.email}>`
  return {
    committer: { ...committer, name: instance.name, email: instance.email },
    trailers: isTold ? [`Co-authored-by: ${person}`, `Co-committed-by: ${person}`] : [],
  }
}
