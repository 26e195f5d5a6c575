import { quotaSubjects } from '../../../access/quota/quota.rules.ts'
import type { UserRow } from '../../../db/tables/accounts.ts'
import type { presentGroup, presentQuota, presentRule } from '../../../quota/quota.present.ts'
import { ActButton, RemoveButton, Submit, SubmitRow } from '../../ui/button.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Checkbox, Field, Select } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { PageHead, Tag } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { pathOf } from '../../ui/paths.ts'
import { Avatar } from '../../ui/person.tsx'
import { Section } from '../../ui/section.tsx'
import { sizeText } from '../../languages/amounts.ts'
import { storedKinds, StorageTable, totalOf } from '../../shared/storage/storage-table.view.tsx'
import { accountQuotaPath, groupPath, quotaPath, rulePath } from './quota-paths.ts'
import { administrationTexts } from '../../languages/texts.ts'

type QuotaGroup = ReturnType<typeof presentGroup>
type QuotaRuleInfo = ReturnType<typeof presentRule>
type QuotaInfo = ReturnType<typeof presentQuota>

const texts = administrationTexts.quotas

const subjectText = (subject: string): string => texts.subjects[subject] ?? subject

const RuleFacts = ({ rule }: { readonly rule: QuotaRuleInfo }) => (
  <p class="row-facts">
    <strong>{texts.limitText(rule.limit)}</strong>
    {(rule.subjects ?? []).length === 0 ? <span>{texts.noSubjects}</span> : null}
    {(rule.subjects ?? []).map((subject) => (
      <span>{subjectText(subject)}</span>
    ))}
  </p>
)

/** A rule of a list: its name and what it limits. */
const RuleMain = ({ rule }: { readonly rule: QuotaRuleInfo }) => (
  <>
    <Icon name="law" class="row-icon" />
    <div class="row-main">
      <Link class="row-title" to={rulePath(rule.name ?? '')}>
        {rule.name}
      </Link>
      <RuleFacts rule={rule} />
    </div>
  </>
)

/** Groups and rules of quotas. */
export const QuotaView = ({
  groups,
  rules,
  defaultGroups,
}: {
  readonly groups: readonly QuotaGroup[]
  readonly rules: readonly QuotaRuleInfo[]
  readonly defaultGroups: readonly string[]
}) => (
  <>
    <PageHead title={administrationTexts.quota} lead={texts.lead} />
    <Section title={texts.groups} id="groups" lead={texts.groupsLead}>
      <div class="stack">
        <RowBox rows={groups} links none={texts.noGroups}>
          {({ name = '', rules: own }) => (
            <li class="row">
              <Icon name="people" class="row-icon" />
              <div class="row-main">
                <div class="line">
                  <Link class="row-title" to={groupPath(name)}>
                    {name}
                  </Link>
                  {defaultGroups.includes(name) ? <Tag tone="accent">{texts.isDefault}</Tag> : null}
                </div>
                <p class="row-facts">
                  {(own ?? []).length === 0 ? <span>{texts.noRulesInGroup}</span> : null}
                  {(own ?? []).map((rule) => (
                    <span>
                      {rule.name}: {texts.limitText(rule.limit)}
                    </span>
                  ))}
                </p>
              </div>
            </li>
          )}
        </RowBox>
        <NewGroup rules={rules} />
      </div>
    </Section>
    <Section title={texts.rules} id="rules" lead={texts.rulesLead}>
      <div class="stack">
        <RowBox rows={rules} links none={texts.noRules}>
          {(rule) => (
            <li class="row">
              <RuleMain rule={rule} />
            </li>
          )}
        </RowBox>
        <NewRule />
      </div>
    </Section>
    <Section title={texts.accounts} id="accounts" lead={texts.accountsLead}>
      <ButtonLink to="/admin/users">{administrationTexts.people}</ButtonLink>
    </Section>
  </>
)

const NewGroup = ({ rules }: { readonly rules: readonly QuotaRuleInfo[] }) => {
  const to = `${quotaPath}/groups`
  return (
    <Disclosure title={texts.newGroup} to={to}>
      <Form to={to} class="stack">
        <Field name="name" id="group_name" label={texts.name} maxlength={255} required autocomplete="off" />
        {rules.length === 0 ? null : (
          <fieldset class="stack tight">
            <legend>{texts.rules}</legend>
            {rules.map(({ name = '', limit }, index) => (
              <Checkbox
                name="rules"
                id={`rule_${index}`}
                value={name}
                label={
                  <>
                    {name} <span class="muted">{texts.limitText(limit)}</span>
                  </>
                }
              />
            ))}
          </fieldset>
        )}
        <SubmitRow kind="plain">{texts.createGroup}</SubmitRow>
      </Form>
    </Disclosure>
  )
}

const NewRule = () => {
  const to = `${quotaPath}/rules`
  return (
    <Disclosure title={texts.newRule} to={to}>
      <Form to={to} class="stack">
        <Field name="name" id="rule_name" label={texts.name} maxlength={255} required autocomplete="off" />
        <RuleFields />
        <SubmitRow kind="plain">{texts.createRule}</SubmitRow>
      </Form>
    </Disclosure>
  )
}

const RuleFields = ({ rule }: { readonly rule?: QuotaRuleInfo }) => (
  <>
    <Field name="limit" label={texts.limit} hint={texts.limitHint} value={rule?.limit} required autocomplete="off" />
    <fieldset class="stack tight">
      <legend>{texts.counted}</legend>
      {quotaSubjects.map((subject) => (
        <Checkbox
          name="subjects"
          id={`subject_${subject.replaceAll(':', '_')}`}
          value={subject}
          label={
            <>
              {subjectText(subject)} <code class="muted">{subject}</code>
            </>
          }
          checked={rule?.subjects?.includes(subject) ?? false}
        />
      ))}
    </fieldset>
  </>
)

/** A rule with its limit and what it counts. */
export const QuotaRuleView = ({ name, rule }: { readonly name: string; readonly rule: QuotaRuleInfo }) => (
  <>
    <PageHead title={name} lead={texts.ruleLead(texts.limitText(rule.limit))}>
      <ButtonLink to={quotaPath}>{administrationTexts.quota}</ButtonLink>
    </PageHead>
    <Form isEdit to={rulePath(name)} class="stack">
      <RuleFields rule={rule} />
      <SubmitRow>{texts.save}</SubmitRow>
    </Form>
    <Section title={texts.deleteRule} id="delete_rule" lead={texts.deleteRuleHint}>
      <ActButton to={`${rulePath(name)}/delete`} kind="danger" confirm={texts.confirmRule(name)}>
        {texts.deleteRule}
      </ActButton>
    </Section>
  </>
)

/** A group with its rules and accounts. */
export const QuotaGroupView = ({
  name,
  rules,
  others,
  accounts,
  isDefault,
}: {
  readonly name: string
  readonly rules: readonly QuotaRuleInfo[]
  readonly others: readonly string[]
  readonly accounts: readonly UserRow[]
  readonly isDefault: boolean
}) => {
  const at = groupPath(name)
  return (
    <>
      <PageHead
        title={
          <span class="line">
            {name} {isDefault ? <Tag tone="accent">{texts.isDefault}</Tag> : null}
          </span>
        }
        lead={isDefault ? texts.defaultLead : texts.groupLead}
      >
        <ButtonLink to={quotaPath}>{administrationTexts.quota}</ButtonLink>
      </PageHead>
      <Section title={texts.rules} id="rules">
        <div class="stack">
          <RowBox rows={rules} none={texts.noRulesInGroup}>
            {(rule) => (
              <li class="row">
                <RuleMain rule={rule} />
                <RemoveButton
                  to={`${at}/rules/delete`}
                  hidden={{ rule: rule.name }}

                  label={texts.removeOf(rule.name ?? '')}
                >
                  {texts.remove}
                </RemoveButton>
              </li>
            )}
          </RowBox>
          {others.length === 0 ? null : (
            <Form to={`${at}/rules`} class="line" label={texts.addRule}>
              <Select
                name="rule"
                label={texts.addRule}
                isLabelHidden
                choices={others.map((value) => ({ value, label: value }))}
              />
              <Submit kind="plain">{texts.addRule}</Submit>
            </Form>
          )}
        </div>
      </Section>
      <Section title={texts.accounts} id="accounts">
        <div class="stack">
          <RowBox rows={accounts} none={texts.noAccounts}>
            {(account) => (
              <li class="row">
                <Avatar person={account} size={24} />
                <Link class="row-main row-title" to={accountQuotaPath(account.name)}>
                  {account.name}
                </Link>
                <RemoveButton
                  to={`${at}/users/${encodeURIComponent(account.name)}/delete`}

                  label={texts.removeOf(account.name)}
                >
                  {texts.remove}
                </RemoveButton>
              </li>
            )}
          </RowBox>
          <Form to={`${at}/users`} class="line" label={texts.addAccount}>
            <Field
              name="account"
              label={texts.account}
              isLabelHidden
              isTerse
              placeholder={texts.account}
              required
              autocomplete="off"
            />
            <Submit kind="plain">{texts.addAccount}</Submit>
          </Form>
        </div>
      </Section>
      <Section title={texts.deleteGroup} id="delete_group" lead={texts.deleteGroupHint}>
        <ActButton to={`${at}/delete`} kind="danger" confirm={texts.confirmGroup(name)}>
          {texts.deleteGroup}
        </ActButton>
      </Section>
    </>
  )
}

/** What an account stores, and its groups. */
export const AccountQuotaView = ({
  account,
  used,
  groups,
}: {
  readonly account: UserRow
  readonly used: QuotaInfo['used']
  readonly groups: readonly { readonly name: string; readonly isChosen: boolean }[]
}) => {
  const kinds = storedKinds(used, subjectText)
  const total = totalOf(kinds)
  return (
    <>
      <PageHead title={texts.of(account.name)} lead={texts.uses(sizeText(total))}>
        <ButtonLink to={account.kind === 'individual' ? pathOf('admin', 'users', account.name) : pathOf(account.name)}>
          {texts.account}
        </ButtonLink>
      </PageHead>
      <StorageTable kinds={kinds} />
      <Section title={texts.groups} id="groups">
        {groups.length === 0 ? (
          <p class="muted">{texts.noGroups}</p>
        ) : (
          <Form isEdit to={accountQuotaPath(account.name)} class="stack">
            <fieldset class="stack tight">
              <legend class="sr-only">{texts.groups}</legend>
              {groups.map(({ name, isChosen }, index) => (
                <Checkbox name="groups" id={`group_${index}`} value={name} label={name} checked={isChosen} />
              ))}
            </fieldset>
            <p class="hint">{texts.chosenHint}</p>
            <SubmitRow>{texts.save}</SubmitRow>
          </Form>
        )}
      </Section>
    </>
  )
}
