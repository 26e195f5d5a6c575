import { Type, type Static, type TObject, type TProperties } from 'typebox'
import { createChecker, type Checker } from '../jobs/checker.ts'
import { versioned, type Versioned, type VersionSteps } from '../jobs/versions.ts'

/** One kind of event: what it carries, and how what earlier releases wrote comes to that shape. */
export interface Fact<Data = unknown> extends Versioned {
  readonly problemOf: Checker
  /** The members that name who did it and whose account it is about. */
  readonly actor: string
  readonly owner: string
  /** The members that hold what people wrote. */
  readonly texts: readonly string[]
  /** Never there; it is what the data's type is found by. */
  readonly carries?: Data
}

interface FactOptions<Members extends TProperties> {
  /** The version of the shape; 1 unless told. It goes up with each change that rows of the release before do not fit. */
  readonly version?: number
  /** For each earlier version: what makes its data those of the next. */
  readonly upgrade?: VersionSteps
  /** The member that names who did it; `doerId` unless told. */
  readonly actor?: keyof Members & string
  /**
   * The member that names the account or organization concerned; `ownerId` unless told. Where there is none it is the owner
   * that the repository has when the event is written.
   */
  readonly owner?: keyof Members & string
}

/** Declares a kind of event. `repoId` and `issueId` among the members are what readers can choose events by. */
export const fact = <const Members extends TProperties>(
  members: Members,
  options: FactOptions<Members> = {},
): Fact<Static<TObject<Members>>> => ({
  ...versioned('an event', options),
  problemOf: createChecker(Type.Object(members)),
  actor: options.actor ?? 'doerId',
  owner: options.owner ?? 'ownerId',
  texts: Object.keys(members).filter((name) => 'isWritten' in (members[name] as object)),
})
