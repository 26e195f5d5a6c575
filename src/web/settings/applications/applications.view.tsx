import type { AccessTokenRow } from '../../../db/tables/accounts.ts'
import type { OAuthApplicationRow } from '../../../db/tables/oauth.ts'
import type { listGrants } from '../../../oauth/grant.service.ts'
import { describeScope } from '../../../oauth/scope.rules.ts'
import type { ShownOnce } from '../../shell/shown-once.ts'
import { DeleteButton, RemoveButton, SubmitRow } from '../../ui/button.tsx'
import { Checkbox, Field, Radios, Select } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { CopyField, Flash, PageHead, Tag } from '../../ui/parts.tsx'
import { pathOf } from '../../ui/paths.ts'
import { Time } from '../../ui/time.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Section } from '../../ui/section.tsx'
import { settingsTexts } from '../../languages/texts.ts'
import { tokenScopes } from './token-scopes.ts'
import { RowBox } from '../../ui/row-box.tsx'

const texts = settingsTexts.applications

interface ApplicationsProps {
  readonly tokens: readonly AccessTokenRow[]
  readonly grants: Awaited<ReturnType<typeof listGrants>>
  readonly applications: readonly OAuthApplicationRow[]
  readonly hasOAuth: boolean
  readonly isAdmin: boolean
  /** A new token. */
  readonly shown: ShownOnce | undefined
}

export const ApplicationsView = ({ tokens, grants, applications, hasOAuth, isAdmin, shown }: ApplicationsProps) => (
  <>
    <PageHead title={settingsTexts.parts.applications} />
    {shown === undefined ? null : (
      <Flash tone="done">
        <p>{texts.tokenOnce(shown.name)}</p>
        <CopyField text={shown.secret} label={texts.token} id="new_token" />
      </Flash>
    )}
    <Section title={texts.tokens} id="tokens" lead={texts.tokensLead}>
      <div class="stack">
        <RowBox rows={tokens}>{(token) => <Token token={token} />}</RowBox>
        <NewToken isFirst={tokens.length === 0} isAdmin={isAdmin} />
      </div>
    </Section>
    {hasOAuth ? <Grants grants={grants} /> : null}
    {hasOAuth ? <Applications applications={applications} /> : null}
  </>
)

const Token = ({ token }: { readonly token: AccessTokenRow }) => (
  <li class="row">
    <div class="row-main">
      <p class="line">
        <strong>{token.name}</strong>
        {token.scopes.split(',').map((scope) => (
          <Tag tone={scope === 'all' ? 'warning' : 'neutral'}>{scope}</Tag>
        ))}
      </p>
      <p class="row-facts">
        <span>
          <code>…{token.token_last_eight}</code>
        </span>
        <span>{settingsTexts.added(<Time unix={token.created_unix} />)}</span>
        <span>
          {token.last_used_unix > 0
            ? settingsTexts.lastUsed(<Time unix={token.last_used_unix} />)
            : settingsTexts.neverUsed}
        </span>
      </p>
    </div>
    <DeleteButton
      to="/user/settings/applications/delete"
      hidden={{ id: token.id }}

      confirm={texts.deleteTokenQuestion(token.name)}
      label={texts.deleteToken(token.name)}
    >
      {texts.delete}
    </DeleteButton>
  </li>
)

const NewToken = ({ isFirst, isAdmin }: { readonly isFirst: boolean; readonly isAdmin: boolean }) => (
  <Disclosure title={texts.newToken} to="/user/settings/applications" isOpen={isFirst}>
    <Form to="/user/settings/applications" class="stack">
      <Field name="name" label={texts.tokenName} hint={texts.tokenNameHint} maxlength={255} required />
      <Radios
        name="access"
        label={texts.access}
        value="chosen"
        choices={[
          { value: 'chosen', label: texts.chosenAccess, hint: texts.chosenAccessHint },
          { value: 'all', label: texts.allAccess, hint: texts.allAccessHint },
        ]}
      />
      <fieldset class="scope-grid">
        <legend class="sr-only">{texts.scopes}</legend>
        {tokenScopes
          .filter((scope) => scope !== 'admin' || isAdmin)
          .map((scope) => (
            <Select
              name={`scope_${scope}`}
              label={texts.scopeNames[scope]}
              choices={[
                { value: '', label: texts.levels.none },
                { value: 'read', label: texts.levels.read },
                { value: 'write', label: texts.levels.write },
              ]}
            />
          ))}
      </fieldset>
      <Checkbox name="public_only" label={texts.publicOnly} hint={texts.publicOnlyHint} />
      <SubmitRow>{texts.create}</SubmitRow>
    </Form>
  </Disclosure>
)

const Grants = ({ grants }: Pick<ApplicationsProps, 'grants'>) => (
  <Section title={texts.grants} id="grants" lead={texts.grantsLead}>
    <RowBox rows={grants} none={<p class="muted">{texts.noGrants}</p>}>
      {(grant) => (
        <li class="row">
          <div class="row-main">
            <strong>{grant.name}</strong>
            <p class="row-facts">{describeScope(grant.scope).join(' ')}</p>
            <p class="row-facts">{settingsTexts.added(<Time unix={grant.created_unix} />)}</p>
          </div>
          <RemoveButton
            to="/user/settings/applications/revoke"
            hidden={{ id: grant.id }}

            label={texts.revokeOf(grant.name)}
          >
            {texts.revoke}
          </RemoveButton>
        </li>
      )}
    </RowBox>
  </Section>
)

const Applications = ({ applications }: Pick<ApplicationsProps, 'applications'>) => (
  <Section title={texts.own} id="own" lead={texts.ownLead}>
    <div class="stack">
      <RowBox rows={applications}>
        {(application) => (
          <li class="row">
            <div class="row-main">
              <Link class="row-title" to={pathOf('user', 'settings', 'applications', 'oauth2', application.id)}>
                {application.name}
              </Link>
              <p class="row-facts">
                <code>{application.client_id}</code>
                <span>{settingsTexts.added(<Time unix={application.created_unix} />)}</span>
              </p>
            </div>
          </li>
        )}
      </RowBox>
      <p>
        <ButtonLink to="/user/settings/applications/oauth2" icon="plus">
          {texts.newApplication}
        </ButtonLink>
      </p>
    </div>
  </Section>
)
