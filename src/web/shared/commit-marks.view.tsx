import { combinedShownState, shownState } from '../../code/statuses/shown-state.ts'
import type { CommitView } from '../../code/statuses/commit-view.service.ts'
import { checkLook } from '../ui/check-icon.tsx'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { pathOf } from '../ui/paths.ts'
import { commitMarkTexts as texts } from '../languages/texts.ts'

/** The combined state of a commit's checks as a link to them; nothing without checks. */
export const StatusMark = ({
  repository,
  view: { commit, statuses },
}: {
  readonly repository: { readonly owner: { readonly name: string }; readonly repo: { readonly name: string } }
  readonly view: Pick<CommitView, 'commit' | 'statuses'>
}) => {
  const state = combinedShownState(statuses.map(shownState))
  if (state === '') return null
  const { icon, tone } = checkLook(state)
  const label = texts.checks(statuses.filter((status) => status.state === 'success').length, statuses.length)
  return (
    <Link
      class={`status-mark ${tone}`}
      to={`${pathOf(repository.owner.name, repository.repo.name, 'commit', commit.oid)}#checks`}
      aria-label={label}
      title={label}
    >
      <Icon name={icon} />
    </Link>
  )
}

type Signed = Extract<CommitView['verification'], { readonly kind: 'signed' }>

/** What a signature proves: a look, and words. Only one that does not fit its commit is an alarm. */
function signatureLook({ isGood, reason, signer }: Signed): { readonly tone: string; readonly label: string } {
  if (isGood) return { tone: 'good-text', label: texts.signedBy(signer?.username || signer?.name || '') }
  const isBroken = reason.startsWith('gpg.error.probable_bad')
  if (isBroken) return { tone: 'danger-text', label: texts.signatureBroken }
  return { tone: 'muted', label: reason === 'gpg.error.extract_sign' ? texts.signatureUnread : texts.signatureUnknown }
}

/** Whether a commit is signed; nothing for an unsigned one. */
export const SignatureMark = ({ verification }: Pick<CommitView, 'verification'>) => {
  if (verification.kind === 'unsigned') return null
  const { tone, label } = signatureLook(verification)
  return (
    <span class={tone} title={label}>
      <Icon name={verification.isGood ? 'verified' : 'unverified'} label={label} />
    </span>
  )
}

/** As `SignatureMark`, in words and with the key. */
export const SignatureFact = ({ verification }: Pick<CommitView, 'verification'>) => {
  if (verification.kind === 'unsigned') return null
  const { tone, label } = signatureLook(verification)
  const key = verification.isGood ? verification.reason.split(' / ').slice(1).join(' / ') : ''
  return (
    <span class={`signature ${tone}`}>
      <Icon name={verification.isGood ? 'verified' : 'unverified'} />
      {label}
      {key === '' ? null : <span class="muted cut">{texts.signatureKey(key)}</span>}
    </span>
  )
}
