import type { PackageCleanupRuleRow } from '../../db/tables/packages.ts'
import { ActButton, Checkbox, Field, Form, Select, Submit } from '../ui/form.tsx'
import { ButtonLink, Link } from '../ui/link.tsx'
import { Box, PageHead, Tag } from '../ui/parts.tsx'
import { Time } from '../ui/time.tsx'
import { Disclosure } from './disclosure.tsx'
import { Section, settingsPath } from './settings-frame.tsx'
import { texts as all } from './texts.tsx'

const texts = all.packages
const path = settingsPath('packages')
const pathTo = (rule: Pick<PackageCleanupRuleRow, 'id'>): string => `${path}/rules/${rule.id}`

export const CleanupRulesView = ({
  rules,
  freeTypes,
}: {
  readonly rules: readonly PackageCleanupRuleRow[]
  /** Registries without a rule. */
  readonly freeTypes: readonly string[]
}) => (
  <>
    <PageHead title={all.parts.packages} />
    <Section title={texts.rules} id="rules" lead={texts.rulesLead}>
      <div class="stack">
        {rules.length === 0 ? (
          <p class="muted">{texts.none}</p>
        ) : (
          <Box>
            <ul class="rows">
              {rules.map((rule) => (
                <Rule rule={rule} />
              ))}
            </ul>
          </Box>
        )}
        {freeTypes.length === 0 ? null : (
          <Disclosure title={texts.add} to={path} isOpen={rules.length === 0}>
            <RuleForm to={path} freeTypes={freeTypes} submit={texts.add} />
          </Disclosure>
        )}
      </div>
    </Section>
  </>
)

const Rule = ({ rule }: { readonly rule: PackageCleanupRuleRow }) => (
  <li class="row">
    <div class="row-main">
      <p class="line">
        <Link class="row-title" to={pathTo(rule)}>
          {rule.type}
        </Link>
        {rule.is_enabled ? <Tag tone="good">{texts.on}</Tag> : <Tag>{texts.off}</Tag>}
      </p>
      <p class="row-facts">
        <span>{texts.summary(rule.keep_count, rule.remove_days)}</span>
        {rule.ran_unix === null || rule.ran_unix === 0 ? null : (
          <span>
            {texts.lastRun(rule.removed_count)}
            <Time unix={rule.ran_unix} />
          </span>
        )}
        {rule.problem === '' ? null : <span class="danger-text">{rule.problem}</span>}
      </p>
    </div>
    <ActButton to={`${pathTo(rule)}/run`} class="small" icon="play" aria-label={texts.runOf(rule.type)}>
      {texts.run}
    </ActButton>
  </li>
)

export const CleanupRuleView = ({ rule }: { readonly rule: PackageCleanupRuleRow }) => (
  <>
    <PageHead title={texts.ruleOf(rule.type)}>
      <ButtonLink to={path}>{texts.back}</ButtonLink>
    </PageHead>
    <RuleForm to={pathTo(rule)} rule={rule} submit={all.save} />
    <ActButton to={`${pathTo(rule)}/delete`} kind="danger" confirm={texts.deleteQuestion(rule.type)}>
      {texts.delete}
    </ActButton>
  </>
)

const RuleForm = ({
  to,
  rule,
  freeTypes = [],
  submit,
}: {
  readonly to: string
  readonly rule?: PackageCleanupRuleRow
  readonly freeTypes?: readonly string[]
  readonly submit: string
}) => (
  <Form to={to} class="stack">
    {rule === undefined ? (
      <Select name="type" label={texts.registry} choices={freeTypes.map((type) => ({ value: type, label: type }))} />
    ) : null}
    <div class="fields-row">
      <Field
        name="keep_count"
        type="number"
        min={0}
        label={texts.keepCount}
        hint={texts.keepCountHint}
        value={rule?.keep_count ?? 0}
        required
      />
      <Field
        name="remove_days"
        type="number"
        min={0}
        label={texts.removeDays}
        hint={texts.removeDaysHint}
        value={rule?.remove_days ?? 0}
        required
      />
    </div>
    <Field name="keep_pattern" label={texts.keepPattern} hint={texts.patternHint} value={rule?.keep_pattern} />
    <Field name="remove_pattern" label={texts.removePattern} hint={texts.patternHint} value={rule?.remove_pattern} />
    <Checkbox
      name="match_full_name"
      label={texts.fullName}
      hint={texts.fullNameHint}
      checked={rule?.matches_full_name ?? false}
    />
    <Checkbox name="enabled" label={texts.enabled} checked={rule?.is_enabled ?? true} />
    <div class="form-acts">
      <Submit>{submit}</Submit>
    </div>
  </Form>
)
