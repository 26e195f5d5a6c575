import { allow, deny, type Verdict } from '../../lib/verdict.ts'

/** What counts when somebody wants to ask others for a review. */
export interface ReviewRequester {
  readonly isPoster: boolean
  readonly isOwner: boolean
  readonly isCollaborator: boolean
  /** On a team that reads pull requests here. */
  readonly isOnTeam: boolean
}

/** The author, the owner, any collaborator, and members of teams with pull requests (contract, pulls: requests). */
export const mayAskForReview = (asker: ReviewRequester): Verdict =>
  asker.isPoster || asker.isOwner || asker.isCollaborator || asker.isOnTeam
    ? allow
    : deny('you may not request reviews here')
