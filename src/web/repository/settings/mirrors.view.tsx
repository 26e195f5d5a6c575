import { parseTime } from '../../../lib/time.ts'
import type { MirrorSettings } from '../../../repos/mirrors/mirror.service.ts'
import type { presentPushMirror } from '../../../repos/mirrors/push-mirror.present.ts'
import { ActButton, DeleteButton, SubmitRow } from '../../ui/button.tsx'
import { Checkbox, Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { sentenceOf } from '../../shell/sentence.ts'
import { ButtonLink } from '../../ui/link.tsx'
import { Box, CopyField } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { Time } from '../../ui/time.tsx'
import { Section } from '../../ui/section.tsx'
import { SettingsFrame, settingsPath, type SettingsRepository } from './frame.tsx'
import { uiTexts as common } from '../../languages/texts.ts'
import { repositorySettingsTexts } from '../../languages/texts.ts'

const texts = repositorySettingsTexts.mirrors

type PushMirror = ReturnType<typeof presentPushMirror>

/** The repositories that follow this one, and what this one follows. */
export const MirrorsView = ({
  repository,
  followed,
  mirrors,
}: {
  readonly repository: SettingsRepository
  /** How this repository follows another one. */
  readonly followed: MirrorSettings | undefined
  readonly mirrors: readonly PushMirror[]
}) => {
  const at = settingsPath(repository, 'mirrors')
  return (
    <SettingsFrame
      repository={repository}
      part="mirrors"
      lead={texts.lead}
      acts={
        mirrors.length === 0 ? null : (
          <ActButton to={`${at}/sync`} icon="sync" disabledBecause={repository.fixed}>
            {texts.sync}
          </ActButton>
        )
      }
    >
      {followed === undefined ? null : <Followed repository={repository} mirror={followed} />}
      {followed === undefined ? (
        <PushMirrors mirrors={mirrors} at={at} fixed={repository.fixed} />
      ) : (
        <Section title={texts.pushMirrors} id="push_mirrors">
          <PushMirrors mirrors={mirrors} at={at} fixed={repository.fixed} />
        </Section>
      )}
      <Section title={texts.add} id="add_mirror">
        <Form to={at} class="stack">
          <Field name="address" label={texts.address} hint={texts.addressHint} required />
          <div class="fields-row">
            <Field name="username" label={texts.username} autocomplete="off" isTerse />
            <Field name="password" type="password" label={texts.password} autocomplete="new-password" isTerse />
          </div>
          <Field
            name="interval"
            label={repositorySettingsTexts.mirror.interval}
            hint={repositorySettingsTexts.mirror.intervalHint}
            value="8h"
            isTerse
          />
          <Checkbox name="sync_on_commit" label={texts.onCommit} checked />
          <Checkbox name="use_ssh" label={texts.useSsh} hint={texts.useSshHint} />
          <SubmitRow disabledBecause={repository.fixed}>{texts.add}</SubmitRow>
        </Form>
      </Section>
    </SettingsFrame>
  )
}

const PushMirrors = ({
  mirrors,
  ...row
}: { readonly mirrors: readonly PushMirror[] } & Omit<Parameters<typeof MirrorRow>[0], 'mirror'>) => (
  <RowBox rows={mirrors} none={texts.none}>
    {(mirror) => <MirrorRow mirror={mirror} {...row} />}
  </RowBox>
)

/** What this repository follows. */
const Followed = ({
  repository,
  mirror,
}: {
  readonly repository: SettingsRepository
  readonly mirror: MirrorSettings
}) => (
  <Section title={texts.isMirror} id="followed">
    <Box>
      <ul class="rows">
        <li class="row">
          <MirrorIcon isFailing={mirror.lastError !== ''} />
          <div class="row-main">
            <span class="row-title">{repository.repo.original_url}</span>
            <p class="row-facts">
              <span>{texts.every(mirror.interval)}</span>
              {mirror.syncedUnix > 0 ? (
                <span>
                  {repositorySettingsTexts.mirror.last}
                  <Time unix={mirror.syncedUnix} />
                </span>
              ) : (
                <span>{repositorySettingsTexts.mirror.never}</span>
              )}
            </p>
            {mirror.lastError === '' ? null : <p class="danger-text">{sentenceOf(mirror.lastError)}</p>}
          </div>
          <div class="acts">
            <ButtonLink to={`${settingsPath(repository)}#mirror`} class="small">
              {texts.change}
            </ButtonLink>
            <ActButton
              to={settingsPath(repository, 'mirror', 'sync')}
              class="small"
              icon="sync"
              disabledBecause={repository.fixed}
            >
              {texts.fetch}
            </ActButton>
          </div>
        </li>
      </ul>
    </Box>
  </Section>
)

/** The icon of a mirror whose last update failed or not. */
const MirrorIcon = ({ isFailing }: { readonly isFailing: boolean }) =>
  isFailing ? <Icon name="alert" class="danger-text" label={texts.failing} /> : <Icon name="mirror" class="muted" />

const MirrorRow = ({
  mirror,
  at,
  fixed,
}: {
  readonly mirror: PushMirror
  readonly at: string
  readonly fixed: string | undefined
}) => {
  const syncedUnix = mirror.last_update === null ? 0 : (parseTime(mirror.last_update) ?? 0)
  return (
    <li class="row">
      <MirrorIcon isFailing={mirror.last_error !== ''} />
      <div class="row-main">
        <span class="row-title">{mirror.remote_address}</span>
        <p class="row-facts">
          <span>{texts.every(mirror.interval)}</span>
          {mirror.sync_on_commit ? <span>{texts.onCommit}</span> : null}
          {syncedUnix > 0 ? (
            <span>
              {texts.last}
              <Time unix={syncedUnix} />
            </span>
          ) : (
            <span>{texts.never}</span>
          )}
        </p>
        {mirror.last_error === '' ? null : <p class="danger-text">{sentenceOf(mirror.last_error)}</p>}
        {mirror.public_key === '' ? null : <CopyField text={mirror.public_key} label={texts.publicKey} />}
      </div>
      <DeleteButton
        to={`${at}/delete`}
        hidden={{ name: mirror.remote_name }}

        disabledBecause={fixed}
        label={texts.remove(mirror.remote_address)}
        confirm={texts.removeConfirm(mirror.remote_address)}
      >
        {common.remove}
      </DeleteButton>
    </li>
  )
}
