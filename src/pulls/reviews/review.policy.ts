import { allow, deny, type Verdict } from '../../lib/verdict.ts'

/** The relations of an account to a pull request that decide whether it may request reviews. */
export interface ReviewRequester {
  readonly isPoster: boolean
  readonly isOwner: boolean
  readonly isCollaborator: boolean
  /** Member of a team with read access to the repository's pull requests. */
  readonly isOnTeam: boolean
}

/** The author, the owner, each collaborator and members of teams with read access may (contract, pulls: requests). */
export const mayAskForReview = (asker: ReviewRequester): Verdict =>
  asker.isPoster || asker.isOwner || asker.isCollaborator || asker.isOnTeam
    ? allow
    : deny('you may not request reviews here')
