import type { Insertable, Selectable } from 'kysely'
import type { InvitationId, RepoId, TeamId, UserId } from '../../lib/ids.ts'
import { id, integer, nullable, ref, table, text, unique, unix, type TablesOf } from '../table.ts'
import type { AccessMode } from './accounts.ts'

export const invitationTables = {
  /** An invitation to a team of an organization or to a repository (docs/decisions/0178-invitations.md). */
  invitation: table(
    {
      id: id<InvitationId>(),
      /** Null for a repository. */
      team_id: nullable(ref<TeamId>('team', 'cascade')),
      /** Null for a team. */
      repo_id: nullable(ref<RepoId>('repo', 'cascade')),
      /** The access of the new collaborator; 0 for a team. */
      access_mode: integer<AccessMode>(),
      /** The invited address; empty for a link that the inviter hands over. */
      email: text(),
      lower_email: text(),
      inviter_id: ref<UserId>('user', 'cascade'),
      /** With the instance key it gives the token of the link, which is not stored. */
      nonce: text(),
      token_hash: unique(text()),
      created_unix: unix(),
      expires_unix: unix(),
      /** Null while the invitation can be accepted or has expired. */
      outcome: nullable(text<'accepted' | 'declined' | 'revoked'>()),
      ended_unix: nullable(unix()),
      /** The account that accepted. Who declined stays unknown to the inviter, so it is not stored. */
      accepted_by_id: nullable(ref<UserId>('user', 'set null')),
    },
    {
      check: '(team_id is null) <> (repo_id is null)',
      indexes: {
        invitation_team: '(team_id, id)',
        invitation_repo: '(repo_id, id)',
        invitation_email: '(lower_email)',
        invitation_inviter: '(inviter_id)',
        invitation_accepted_by: '(accepted_by_id)',
        invitation_expires: '(expires_unix)',
      },
    },
  ),
}

export type InvitationTables = TablesOf<typeof invitationTables>
export type InvitationRow = Selectable<InvitationTables['invitation']>
export type NewInvitationRow = Insertable<InvitationTables['invitation']>
