import { Type, type Static, type TObject, type TProperties } from 'typebox'
import { createChecker, type Checker } from '../jobs/checker.ts'

/** The declaration of an event kind. */
export interface Fact<Data = unknown> {
  readonly problemOf: Checker
  /** The members that name the doer and the owner. */
  readonly actor: string
  readonly owner: string
  /** The members with texts of users. */
  readonly texts: readonly string[]
  /** Exists in the type only: the type of the data. */
  readonly carries?: Data
}

interface FactOptions<Members extends TProperties> {
  /** The member with the doer; the default is `doerId`. */
  readonly actor?: keyof Members & string
  /**
   * The member with the account or organization concerned; the default is `ownerId`. Without it, the owner of the
   * repository at the time of the event.
   */
  readonly owner?: keyof Members & string
}

/** Declares an event kind. Readers can filter by `repoId` and `issueId`. */
export const fact = <const Members extends TProperties>(
  members: Members,
  options: FactOptions<Members> = {},
): Fact<Static<TObject<Members>>> => ({
  problemOf: createChecker(Type.Object(members)),
  actor: options.actor ?? 'doerId',
  owner: options.owner ?? 'ownerId',
  texts: Object.keys(members).filter((name) => 'isWritten' in (members[name] as object)),
})
