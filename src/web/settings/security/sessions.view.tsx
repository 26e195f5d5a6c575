import type { SessionRow } from '../../../db/tables/sign-in.ts'
import type { SessionId } from '../../../lib/ids.ts'
import { shellTexts as shell } from '../../languages/texts.ts'
import { ActButton } from '../../ui/button.tsx'
import { PageHead, Tag } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { clientName } from './client-name.rules.ts'
import { settingsTexts } from '../../languages/texts.ts'
import { RowBox } from '../../ui/row-box.tsx'

const texts = settingsTexts.sessions

interface SessionsProps {
  readonly sessions: readonly SessionRow[]
  readonly currentId: SessionId | undefined
}

export const SessionsView = ({ sessions, currentId }: SessionsProps) => (
  <>
    <PageHead title={settingsTexts.parts.sessions} lead={texts.hint}>
      {sessions.length < 2 ? null : (
        <ActButton to="/user/settings/sessions/end_others">{texts.signOutOthers}</ActButton>
      )}
    </PageHead>
    <RowBox rows={sessions}>{(session) => <Session session={session} isThis={session.id === currentId} />}</RowBox>
  </>
)

const Session = ({ session, isThis }: { readonly session: SessionRow; readonly isThis: boolean }) => {
  const name = clientName(session.client)
  return (
    <li class="row">
      <div class="row-main">
        <p class="line">
          <strong>{name}</strong>
          {isThis ? <Tag tone="good">{texts.thisBrowser}</Tag> : null}
          {session.remember_until_unix > 0 ? <Tag>{texts.remembered}</Tag> : null}
        </p>
        <p class="row-facts">
          <span>{session.address}</span>
          <span>{settingsTexts.signedInOn(<Time unix={session.created_unix} />)}</span>
          <span>{settingsTexts.lastUsed(<Time unix={session.used_unix} />)}</span>
        </p>
      </div>
      <ActButton
        to="/user/settings/sessions/end"
        hidden={{ id: session.id }}
        class="small"
        aria-label={texts.signOut(name, session.address)}
      >
        {shell.signOut}
      </ActButton>
    </li>
  )
}
