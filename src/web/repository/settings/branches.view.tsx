import type { presentBranchRule } from '../../../refs/protection/branch-protection.present.ts'
import type { listRules } from '../../../refs/protection/branch-protection.service.ts'
import { DeleteButton, Submit } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { boxes, formOf, line, lines, names, number } from '../../ui/form-fields.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { Empty } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { uiTexts as shared } from '../../languages/texts.ts'
import { SettingsFrame, settingsPath, type SettingsRepository } from './frame.tsx'
import { candidatesOf, completes, type RuleList } from './rule-list.tsx'
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
          <DeleteButton
            to={settingsPath(repository, 'branches', 'delete', name)}

            label={texts.deleteConfirm(name)}
            confirm={texts.deleteConfirm(name)}
          >
            {shared.delete}
          </DeleteButton>
        </li>
      )}
    </RowBox>
  </SettingsFrame>
)

type Rule = Awaited<ReturnType<typeof presentBranchRule>>

const people = (list: RuleList) => names(() => ({ label: texts.people, hint: texts.lists, ...completes(list) }))
const teams = () => names(() => ({ label: texts.teams, ...completes('teams') }))

/** A rule for branches as its form states it. */
export const branchRuleForm = formOf({
  ...boxes(texts.flags),
  push_users: people('writers'),
  push_teams: teams(),
  required_approvals: number(() => ({ label: texts.approvals, min: 0, value: 0, isTerse: true })),
  approval_users: people('readers'),
  approval_teams: teams(),
  merge_users: people('writers'),
  merge_teams: teams(),
  status_contexts: lines(
    () => ({ label: texts.contexts, hint: texts.contextsHint, rows: 3, isCode: true, ...completes('checks') }),
    { as: 'statusContexts' },
  ),
  protected_file_patterns: line(() => ({ label: texts.protectedFiles, hint: texts.protectedHint })),
  unprotected_file_patterns: line(() => ({ label: texts.unprotectedFiles, hint: texts.unprotectedHint })),
})

const storedOf = (rule: Rule) => ({
  ...rule,
  push_deploy_keys: rule.push_whitelist_deploy_keys,
  push_users: rule.push_whitelist_usernames,
  push_teams: rule.push_whitelist_teams,
  approval_users: rule.approvals_whitelist_username,
  approval_teams: rule.approvals_whitelist_teams,
  merge_users: rule.merge_whitelist_usernames,
  merge_teams: rule.merge_whitelist_teams,
  status_contexts: rule.status_check_contexts,
})

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
  const fields = branchRuleForm.show(rule && storedOf(rule))
  return (
    <SettingsFrame repository={repository} part="branches" title={rule ? texts.editTitle(rule.rule_name) : texts.add}>
      <Form
        isEdit
        to={
          rule
            ? settingsPath(repository, 'branches', 'edit', rule.rule_name)
            : settingsPath(repository, 'branches', 'new')
        }
        class="stack loose"
        {...candidatesOf(repository)}
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
          {fields.enable_push}
          {fields.enable_push_whitelist}
          <div class="fields-row nested">
            {fields.push_users}
            {fields.push_teams}
          </div>
          {fields.push_deploy_keys}
          {fields.require_signed_commits}
        </fieldset>
        <fieldset class="stack tight">
          <legend>{texts.merging}</legend>
          {fields.required_approvals}
          {fields.enable_approvals_whitelist}
          <div class="fields-row nested">
            {fields.approval_users}
            {fields.approval_teams}
          </div>
          {fields.dismiss_stale_approvals}
          {fields.ignore_stale_approvals}
          {fields.block_on_rejected_reviews}
          {fields.block_on_official_review_requests}
          {fields.block_on_outdated_branch}
          {fields.enable_merge_whitelist}
          <div class="fields-row nested">
            {fields.merge_users}
            {fields.merge_teams}
          </div>
          {fields.enable_status_check}
          {fields.status_contexts}
        </fieldset>
        <fieldset class="stack tight">
          <legend>{texts.files}</legend>
          {fields.protected_file_patterns}
          {fields.unprotected_file_patterns}
          {fields.apply_to_admins}
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
