import { parseTime } from '../../../lib/time.ts'
import type { presentPushMirror } from '../../../repos/mirrors/push-mirror.present.ts'
import { ActButton, Submit } from '../../ui/button.tsx'
import { Checkbox, Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Box, CopyField } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { SettingsFrame, settingsPath, type SettingsPlace } from './frame.tsx'
import { texts as common } from '../../ui/texts.tsx'
import { texts as all } from './texts.tsx'

const texts = all.mirrors

type PushMirror = ReturnType<typeof presentPushMirror>

/** The repositories that follow this one, and what this one follows. */
export const MirrorsView = ({
  place,
  mirrors,
}: {
  readonly place: SettingsPlace
  readonly mirrors: readonly PushMirror[]
}) => {
  const at = settingsPath(place, 'mirrors')
  return (
    <SettingsFrame
      place={place}
      part="mirrors"
      lead={texts.lead}
      acts={
        mirrors.length === 0 ? null : (
          <ActButton to={`${at}/sync`} icon="sync">
            {texts.sync}
          </ActButton>
        )
      }
    >
      {place.repo.is_mirror ? (
        <div class="line">
          <p>{texts.isMirror}</p>
          <ActButton to={settingsPath(place, 'mirror', 'sync')} icon="sync">
            {texts.fetch}
          </ActButton>
        </div>
      ) : null}
      {mirrors.length === 0 ? (
        <p class="muted">{texts.none}</p>
      ) : (
        <Box>
          <ul class="rows">
            {mirrors.map((mirror) => (
              <MirrorRow mirror={mirror} at={at} />
            ))}
          </ul>
        </Box>
      )}
      <section class="section" aria-labelledby="add_mirror">
        <h2 id="add_mirror">{texts.add}</h2>
        <Form to={at} class="stack">
          <Field name="address" label={texts.address} hint={texts.addressHint} required />
          <div class="fields-row">
            <Field name="username" label={texts.username} autocomplete="off" isTerse />
            <Field name="password" type="password" label={texts.password} autocomplete="new-password" isTerse />
          </div>
          <Field name="interval" label={all.mirror.interval} hint={all.mirror.intervalHint} value="8h" isTerse />
          <Checkbox name="sync_on_commit" label={texts.onCommit} checked />
          <Checkbox name="use_ssh" label={texts.useSsh} hint={texts.useSshHint} />
          <div class="form-acts">
            <Submit>{texts.add}</Submit>
          </div>
        </Form>
      </section>
    </SettingsFrame>
  )
}

const MirrorRow = ({ mirror, at }: { readonly mirror: PushMirror; readonly at: string }) => {
  const syncedUnix = mirror.last_update === null ? 0 : (parseTime(mirror.last_update) ?? 0)
  return (
    <li class="row">
      <Icon name="mirror" class="muted" />
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
        {mirror.last_error === '' ? null : <p class="danger-text">{mirror.last_error}</p>}
        {mirror.public_key === '' ? null : <CopyField text={mirror.public_key} label={texts.publicKey} />}
      </div>
      <ActButton
        to={`${at}/delete`}
        hidden={{ name: mirror.remote_name }}
        kind="danger"
        class="small"
        aria-label={texts.remove(mirror.remote_address)}
        confirm={texts.removeConfirm(mirror.remote_address)}
      >
        {common.remove}
      </ActButton>
    </li>
  )
}
