import type { PublicKeyRow } from '../../../db/tables/accounts.ts'
import type { presentGpgKeys } from '../../../users/credentials/gpg-key.present.ts'
import { DeleteButton, SubmitRow } from '../../ui/button.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Commands, PageHead, Tag } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Section } from '../../ui/section.tsx'
import { settingsTexts } from '../../languages/texts.ts'
import { RowBox } from '../../ui/row-box.tsx'

const texts = settingsTexts.keys

type GPGKey = Awaited<ReturnType<typeof presentGpgKeys>>[number]

interface KeysProps {
  readonly sshKeys: readonly PublicKeyRow[]
  readonly gpgKeys: readonly GPGKey[]
  /** The text to sign for a proof. */
  readonly token: string
}

export const KeysView = ({ sshKeys, gpgKeys, token }: KeysProps) => (
  <>
    <PageHead title={settingsTexts.parts.keys} />
    <Section title={texts.ssh} id="ssh_keys" lead={texts.sshLead}>
      <div class="stack">
        <RowBox rows={sshKeys}>{(key) => <SshKey sshKey={key} />}</RowBox>
        <AddSshKey isFirst={sshKeys.length === 0} />
      </div>
    </Section>
    <Section title={texts.gpg} id="gpg_keys" lead={texts.gpgLead}>
      <div class="stack">
        <RowBox rows={gpgKeys}>{(key) => <GpgKey gpgKey={key} token={token} />}</RowBox>
        <AddGpgKey token={token} />
      </div>
    </Section>
  </>
)

const SshKey = ({ sshKey }: { readonly sshKey: PublicKeyRow }) => (
  <li class="row">
    <Icon name="key" />
    <div class="row-main">
      <strong>{sshKey.title}</strong>
      <p>
        <code class="fingerprint">{sshKey.fingerprint}</code>
      </p>
      <p class="row-facts">
        <span>{settingsTexts.added(<Time unix={sshKey.created_unix} />)}</span>
        <span>
          {sshKey.last_used_unix > 0
            ? settingsTexts.lastUsed(<Time unix={sshKey.last_used_unix} />)
            : settingsTexts.neverUsed}
        </span>
      </p>
    </div>
    <DeleteButton
      to="/user/settings/keys/ssh/delete"
      hidden={{ id: sshKey.id }}

      confirm={texts.removeSshQuestion(sshKey.title)}
      label={texts.remove(sshKey.title)}
    >
      {settingsTexts.remove}
    </DeleteButton>
  </li>
)

const AddSshKey = ({ isFirst }: { readonly isFirst: boolean }) => (
  <Disclosure title={texts.addSsh} to="/user/settings/keys/ssh" isOpen={isFirst}>
    <Form to="/user/settings/keys/ssh" class="stack">
      {isFirst ? <Commands text={texts.sshCommands} label={texts.sshCommandsLabel} /> : null}
      <Field name="title" label={texts.title} hint={texts.titleHint} maxlength={50} />
      <TextArea name="key" label={texts.publicKey} placeholder="ssh-ed25519 AAAA…" rows={4} required isCode />
      <SubmitRow>{texts.addSsh}</SubmitRow>
    </Form>
  </Disclosure>
)

const GpgKey = ({ gpgKey, token }: { readonly gpgKey: GPGKey; readonly token: string }) => (
  <li class="row">
    <Icon name="key" />
    <div class="row-main">
      <p class="line">
        <code>{gpgKey.key_id}</code>
        {gpgKey.verified ? <Tag tone="good">{texts.verifiedTag}</Tag> : <Tag tone="warning">{texts.unverified}</Tag>}
      </p>
      <p class="row-facts">
        {gpgKey.emails?.map(({ email }) => (
          <span>{email}</span>
        ))}
        <span>{texts.subkeys(gpgKey.subkeys?.length ?? 0)}</span>
        <span>
          {gpgKey.expires_at.startsWith('0001') ? texts.neverExpires : texts.expires(gpgKey.expires_at.slice(0, 10))}
        </span>
      </p>
      {gpgKey.verified ? null : (
        <Disclosure title={texts.verify} to="/user/settings/keys/gpg/verify">
          <Form to="/user/settings/keys/gpg/verify" class="stack" hidden={{ key_id: gpgKey.key_id }}>
            <Commands text={texts.signCommand(token, gpgKey.key_id)} label={texts.signCommandLabel} />
            <TextArea
              name="armored_signature"
              id={`signature_${gpgKey.id}`}
              label={texts.signature}
              hint={texts.signatureHint}
              required
              isCode
            />
            <SubmitRow kind="plain">{texts.verify}</SubmitRow>
          </Form>
        </Disclosure>
      )}
    </div>
    <DeleteButton
      to="/user/settings/keys/gpg/delete"
      hidden={{ id: gpgKey.id }}

      confirm={texts.removeGpgQuestion(gpgKey.key_id)}
      label={texts.remove(gpgKey.key_id)}
    >
      {settingsTexts.remove}
    </DeleteButton>
  </li>
)

const AddGpgKey = ({ token }: { readonly token: string }) => (
  <Disclosure title={texts.addGpg} to="/user/settings/keys/gpg">
    <Form to="/user/settings/keys/gpg" class="stack">
      <TextArea
        name="armored_public_key"
        label={texts.publicKey}
        hint={texts.gpgHint}
        placeholder="-----BEGIN PGP PUBLIC KEY BLOCK-----"
        rows={6}
        required
        isCode
      />
      <TextArea name="armored_signature" label={texts.signature} hint={texts.signatureNeeded} rows={3} isCode />
      <Commands text={texts.signCommand(token)} label={texts.signCommandLabel} />
      <SubmitRow kind="plain">{texts.addGpg}</SubmitRow>
    </Form>
  </Disclosure>
)
