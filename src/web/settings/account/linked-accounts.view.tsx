import type { linksOf } from '../../../sources/openid/openid.service.ts'
import { shellTexts as shell } from '../../languages/texts.ts'
import { RemoveButton, SubmitRow } from '../../ui/button.tsx'
import { Form } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { Empty, Flash, PageHead, Tag } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { Time } from '../../ui/time.tsx'
import { PasswordField } from '../confirm-password.tsx'
import { Section } from '../../ui/section.tsx'
import { settingsTexts } from '../../languages/texts.ts'

const texts = settingsTexts.links

interface LinkedAccountsProps {
  readonly links: Awaited<ReturnType<typeof linksOf>>
  /** Names of the sources that accounts can be linked at. */
  readonly providers: readonly string[]
  readonly isLinked: boolean
}

export const LinkedAccountsView = ({ links, providers, isLinked }: LinkedAccountsProps) => (
  <>
    <PageHead title={settingsTexts.parts.links} lead={texts.lead} />
    {isLinked ? <Flash tone="done">{texts.done}</Flash> : null}
    <RowBox
      rows={links}
      none={
        <Empty icon="globe" title={texts.none}>
          <p>{providers.length === 0 ? texts.noProviders : texts.linkBelow}</p>
        </Empty>
      }
    >
      {(link) => (
        <li class="row">
          <div class="row-main">
            <p class="line">
              <strong>{link.name}</strong>
              <Tag>{link.source}</Tag>
            </p>
            <p class="row-facts">
              <span>{settingsTexts.linkedOn(<Time unix={link.created_unix} />)}</span>
              <span>{settingsTexts.lastUsed(<Time unix={link.used_unix} />)}</span>
            </p>
          </div>
          <RemoveButton
            to="/user/settings/links/remove"
            hidden={{ id: link.id }}

            label={texts.removeLink(link.name, link.source)}
          >
            {settingsTexts.remove}
          </RemoveButton>
        </li>
      )}
    </RowBox>
    {providers.map((name) => (
      <Section title={name} id={`link_${name}`} lead={texts.hint(name)}>
        <Form to="/user/settings/links" class="stack" hidden={{ source: name }} data-turbo="false">
          <PasswordField id={`password_${name}`} />
          <SubmitRow kind="plain">{texts.link(name)}</SubmitRow>
        </Form>
      </Section>
    ))}
  </>
)

/** Leads to the provider. */
export const ProviderLink = ({ name, address }: { readonly name: string; readonly address: string }) => (
  <>
    <p>{texts.signInThere}</p>
    <a class="button primary whole" href={address} rel="noreferrer">
      {texts.goTo(name)}
    </a>
    <p>
      <Link to="/user/settings/links">{shell.cancel}</Link>
    </p>
  </>
)
