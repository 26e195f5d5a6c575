import type { PackageCleanupRuleRow } from '../../../db/tables/packages.ts'
import { sentenceOf } from '../../shell/sentence.ts'
import { ActButton, SubmitRow } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { box, formOf, line, number } from '../../ui/form-fields.tsx'
import { Form } from '../../ui/form.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { PageHead, Tag } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { pathOf } from '../../ui/paths.ts'
import { sizeText } from '../../languages/amounts.ts'
import { uiTexts as common } from '../../languages/texts.ts'
import { Time } from '../../ui/time.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Section } from '../../ui/section.tsx'
import type { loadRule, loadRules } from './cleanup.ts'
import { typeName } from '../package-types.ts'
import { cleanupTexts as texts } from '../../languages/texts.ts'
import { inReadersWords } from '../../languages/refusals.ts'

/** Address of the page with the rules, below the site root. */
interface CleanupPage {
  readonly path: string
}

const pathTo = ({ path }: CleanupPage, rule: Pick<PackageCleanupRuleRow, 'id'>): string => `${path}/rules/${rule.id}`

/** The rules of an owner. */
export const CleanupRulesView = ({ rules, freeTypes, path }: Awaited<ReturnType<typeof loadRules>> & CleanupPage) => (
  <>
    <PageHead title={texts.title} />
    <Section title={texts.rules} id="rules" lead={texts.rulesLead}>
      <div class="stack">
        <RowBox rows={rules} none={texts.none}>
          {(rule) => <Rule rule={rule} path={path} />}
        </RowBox>
        {freeTypes.length === 0 ? null : (
          <Disclosure title={texts.add} to={path} isOpen={rules.length === 0}>
            <RuleForm to={path} freeTypes={freeTypes} submit={texts.add} />
          </Disclosure>
        )}
      </div>
    </Section>
  </>
)

const Rule = ({ rule, path }: CleanupPage & { readonly rule: PackageCleanupRuleRow }) => (
  <li class="row">
    <div class="row-main">
      <p class="line">
        <Link class="row-title" to={pathTo({ path }, rule)}>
          {typeName(rule.type)}
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
        {rule.problem === '' ? null : <span class="danger-text">{inReadersWords(rule.problem)}</span>}
      </p>
    </div>
    <ActButton
      to={`${pathTo({ path }, rule)}/run`}
      class="small"
      icon="play"
      aria-label={texts.runOf(typeName(rule.type))}
    >
      {texts.run}
    </ActButton>
  </li>
)

/** A rule, and what it would remove. */
export const CleanupRuleView = ({
  rule,
  owner,
  versions,
  hasMore,
  path,
}: Awaited<ReturnType<typeof loadRule>> & CleanupPage) => (
  <>
    <PageHead title={texts.ruleOf(typeName(rule.type))}>
      <ButtonLink to={path}>{texts.back}</ButtonLink>
      <ActButton
        to={`${pathTo({ path }, rule)}/delete`}
        kind="danger"
        confirm={texts.deleteQuestion(typeName(rule.type))}
      >
        {texts.delete}
      </ActButton>
    </PageHead>
    <RuleForm to={pathTo({ path }, rule)} rule={rule} submit={common.save} />
    <Section title={texts.preview} id="preview" {...(rule.is_enabled ? {} : { lead: texts.previewOff })}>
      <RowBox
        rows={versions}
        none={texts.previewNone}
        {...(hasMore ? { foot: <span class="muted">{texts.previewMore}</span> } : {})}
      >
        {({ version, sizeBytes, reason }) => (
          <li class="row">
            <div class="row-main">
              <Link class="row-title" to={pathOf(owner.name, '-', 'packages', version.type, version.lower_name)}>
                {version.name}
              </Link>{' '}
              {version.version}
              <p class="row-facts">{sentenceOf(reason)}</p>
            </div>
            <span class="row-side">{sizeText(sizeBytes)}</span>
          </li>
        )}
      </RowBox>
    </Section>
  </>
)

/** A rule as its owner states it. */
export const ruleForm = formOf({
  keep_count: number(() => ({ label: texts.keepCount, hint: texts.keepCountHint, min: 0, value: 0, required: true }), {
    as: 'keepCount',
  }),
  remove_days: number(
    () => ({ label: texts.removeDays, hint: texts.removeDaysHint, min: 0, value: 0, required: true }),
    { as: 'removeDays' },
  ),
  keep_pattern: line(() => ({ label: texts.keepPattern, hint: texts.patternHint }), { limit: 4096, as: 'keepPattern' }),
  remove_pattern: line(() => ({ label: texts.removePattern, hint: texts.patternHint }), {
    limit: 4096,
    as: 'removePattern',
  }),
  match_full_name: box(() => ({ label: texts.fullName, hint: texts.fullNameHint }), { as: 'matchesFullName' }),
  enabled: box(() => ({ label: texts.enabled, checked: true }), { as: 'isEnabled' }),
})

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
}) => {
  const fields = ruleForm.show(rule && { ...rule, match_full_name: rule.matches_full_name, enabled: rule.is_enabled })
  return (
    <Form isEdit to={to} class="stack">
      {rule === undefined ? (
        <Select
          name="type"
          label={texts.registry}
          choices={freeTypes.map((type) => ({ value: type, label: typeName(type) }))}
        />
      ) : null}
      <div class="fields-row">
        {fields.keep_count}
        {fields.remove_days}
      </div>
      {fields.keep_pattern}
      {fields.remove_pattern}
      {fields.match_full_name}
      {fields.enabled}
      <SubmitRow>{submit}</SubmitRow>
    </Form>
  )
}
