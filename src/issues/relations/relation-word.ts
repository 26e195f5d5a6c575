import type { RelationKind } from '../../db/tables/issue-details.ts'

/** Relation of another issue to an issue. Each word has one for the other side. */
export const relationWords = ['parent', 'sub_issue', 'duplicate_of', 'duplicated_by', 'relates_to'] as const
export type RelationWord = (typeof relationWords)[number]

interface Side {
  readonly kind: RelationKind
  /** Whether the row has the issue itself as its first one. */
  readonly isFirst: boolean
}

const sides: Readonly<Record<Exclude<RelationWord, 'relates_to'>, Side>> = {
  parent: { kind: 'parent', isFirst: true },
  sub_issue: { kind: 'parent', isFirst: false },
  duplicate_of: { kind: 'duplicate', isFirst: true },
  duplicated_by: { kind: 'duplicate', isFirst: false },
}

interface Ids<Id> {
  readonly kind: RelationKind
  readonly first: Id
  readonly other: Id
}

/** Returns the row of a relation. One without a direction has the lower id first. */
export function rowOf<Id extends number>(word: RelationWord, here: Id, there: Id): Ids<Id> {
  if (word === 'relates_to') {
    return { kind: 'related', first: here < there ? here : there, other: here < there ? there : here }
  }
  const { kind, isFirst } = sides[word]
  return isFirst ? { kind, first: here, other: there } : { kind, first: there, other: here }
}

/** Returns the word for a row as one of its issues sees it. */
export function wordOf(kind: RelationKind, isFirst: boolean): RelationWord {
  if (kind === 'related') return 'relates_to'
  if (kind === 'parent') return isFirst ? 'parent' : 'sub_issue'
  return isFirst ? 'duplicate_of' : 'duplicated_by'
}

/** Returns the word for the same relation as the other issue sees it. */
export const otherSideOf = (word: RelationWord): RelationWord =>
  word === 'relates_to' ? word : wordOf(sides[word].kind, !sides[word].isFirst)

/** Most relations of one issue. */
export const maxRelations = 200

/** Most issues above another one. */
export const maxDepth = 20
