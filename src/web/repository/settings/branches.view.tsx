import type { presentBranchRule } from '../../../refs/protection/branch-protection.present.ts'
import type { listRules } from '../../../refs/protection/branch-protection.service.ts'
import { ActButton, Submit } from '../../ui/button.tsx'
import { Checkbox, Field, TextArea } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { Empty } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { uiTexts as shared } from '../../languages/texts.ts'
import { SettingsFrame, settingsPath, type SettingsRepository } from './frame.tsx'
import { repositorySettingsTexts } from '../../languages/texts.ts'

const texts = repositorySettingsTexts.branches

/** The rules for branches. */
export const BranchesView = ({
  repository,
  rules,
}: {
  readonly repository: SettingsRepository
  readonly rules: Awaited<ReturnType<typeof listRules>>
}) => (
  <SettingsFrame
    repository={repository}
    part="branches"
    lead={texts.lead}
    acts={
      repository.fixed === undefined ? (
        <ButtonLink to={settingsPath(repository, 'branches', 'new')} kind="primary">
          {texts.add}
        </ButtonLink>
      ) : null
    }
  >
    <RowBox
      rows={rules}
      none={
        <Empty icon="shield" title={texts.none}>
          <p>{texts.noneLead}</p>
        </Empty>
      }
    >
      {({ rule_name: name, ...rule }) => (
        <li class="row">
          <Icon name="git-branch" class="muted" />
          <div class="row-main">
            <Link class="row-title mono" to={settingsPath(repository, 'branches', 'edit', name)}>
              {name}
            </Link>
            <p class="row-facts">
              {rule.required_approvals > 0 ? <span>{texts.approvalsOf(rule.required_approvals)}</span> : null}
              {rule.enable_status_check ? <span>{texts.flags.enable_status_check}</span> : null}
              {rule.require_signed_commits ? <span>{texts.flags.require_signed_commits}</span> : null}
            </p>
          </div>
          <ActButton
            to={settingsPath(repository, 'branches', 'delete', name)}
            kind="danger"
            class="small"
            aria-label={texts.deleteConfirm(name)}
            confirm={texts.deleteConfirm(name)}
          >
            {shared.delete}
          </ActButton>
        </li>
      )}
    </RowBox>
  </SettingsFrame>
)

type Rule = Awaited<ReturnType<typeof presentBranchRule>>

/** The form of a rule. */
export const BranchRuleView = ({
  repository,
  rule,
  name,
}: {
  readonly repository: SettingsRepository
  /** Undefined: a new one. */
  readonly rule: Rule | undefined
  readonly name: string | undefined
}) => {
  const flag = (each: keyof typeof texts.flags) => (
    <Checkbox name={each} label={texts.flags[each]} checked={rule ? ruleFlag(rule, each) : false} />
  )
  const people = (prefix: string, users: readonly string[] | null = [], teams: readonly string[] | null = []) => (
    <div class="fields-row nested">
      <Field name={`${prefix}_users`} label={texts.people} value={users?.join(', ')} />
      <Field name={`${prefix}_teams`} label={texts.teams} value={teams?.join(', ')} />
    </div>
  )
  return (
    <SettingsFrame
      repository={repository}
      part="branches"
      title={rule ? texts.editTitle(rule.rule_name) : texts.add}
      lead={texts.lists}
    >
      <Form
        isEdit
        to={
          rule
            ? settingsPath(repository, 'branches', 'edit', rule.rule_name)
            : settingsPath(repository, 'branches', 'new')
        }
        class="stack loose"
      >
        {rule ? null : (
          <Field
            name="rule_name"
            label={texts.name}
            hint={texts.nameHint}
            value={name ?? repository.repo.default_branch}
            required
          />
        )}
        <fieldset class="stack tight">
          <legend>{texts.pushing}</legend>
          {flag('enable_push')}
          {flag('enable_push_whitelist')}
          {people('push', rule?.push_whitelist_usernames, rule?.push_whitelist_teams)}
          {flag('push_deploy_keys')}
          {flag('require_signed_commits')}
        </fieldset>
        <fieldset class="stack tight">
          <legend>{texts.merging}</legend>
          <Field
            name="required_approvals"
            type="number"
            min={0}
            label={texts.approvals}
            value={rule?.required_approvals ?? 0}
            isTerse
          />
          {flag('enable_approvals_whitelist')}
          {people('approval', rule?.approvals_whitelist_username, rule?.approvals_whitelist_teams)}
          {flag('dismiss_stale_approvals')}
          {flag('ignore_stale_approvals')}
          {flag('block_on_rejected_reviews')}
          {flag('block_on_official_review_requests')}
          {flag('block_on_outdated_branch')}
          {flag('enable_merge_whitelist')}
          {people('merge', rule?.merge_whitelist_usernames, rule?.merge_whitelist_teams)}
          {flag('enable_status_check')}
          <TextArea
            name="status_contexts"
            label={texts.contexts}
            hint={texts.contextsHint}
            value={rule?.status_check_contexts?.join('\n')}
            rows={3}
            isCode
          />
        </fieldset>
        <fieldset class="stack tight">
          <legend>{texts.files}</legend>
          <Field
            name="protected_file_patterns"
            label={texts.protectedFiles}
            hint={texts.protectedHint}
            value={rule?.protected_file_patterns}
          />
          <Field
            name="unprotected_file_patterns"
            label={texts.unprotectedFiles}
            hint={texts.unprotectedHint}
            value={rule?.unprotected_file_patterns}
          />
          {flag('apply_to_admins')}
        </fieldset>
        <div class="form-acts">
          <Submit disabledBecause={repository.fixed}>{repositorySettingsTexts.save}</Submit>
          <ButtonLink kind="quiet" to={settingsPath(repository, 'branches')}>
            {shared.cancel}
          </ButtonLink>
        </div>
      </Form>
    </SettingsFrame>
  )
}

const ruleFlag = (rule: Rule, flag: keyof typeof texts.flags): boolean =>
  flag === 'push_deploy_keys' ? rule.push_whitelist_deploy_keys : rule[flag]
