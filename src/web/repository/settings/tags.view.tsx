import { RowBox } from '../../ui/row-box.tsx'
import type { presentTagRule } from '../../../refs/protection/tag-protection.present.ts'
import { DeleteButton, Submit, SubmitRow } from '../../ui/button.tsx'
import { formOf, line, names } from '../../ui/form-fields.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { Section } from '../../ui/section.tsx'
import { uiTexts as shared } from '../../languages/texts.ts'
import { SettingsFrame, settingsPath, type SettingsRepository } from './frame.tsx'
import { candidatesOf, completes } from './rule-list.tsx'
import { repositorySettingsTexts } from '../../languages/texts.ts'

const texts = repositorySettingsTexts.tags

type Rule = Awaited<ReturnType<typeof presentTagRule>>

/** A rule for tags as its form states it. */
export const tagRuleForm = formOf({
  name_pattern: line(() => ({ label: texts.pattern, hint: texts.patternHint, required: true, placeholder: 'v*' }), {
    as: 'pattern',
    refusals: ['pattern', 'tag_rule_exists'],
  }),
  users: names(() => ({ label: texts.users, hint: texts.usersHint, isTerse: true, ...completes('readers') }), {
    refusals: ['nobody_allowed', 'user'],
  }),
  teams: names(() => ({ label: texts.teams, isTerse: true, ...completes('teams') }), { refusals: ['team'] }),
})

const showRule = (rule?: Rule) =>
  Object.values(tagRuleForm.show(rule && { ...rule, users: rule.whitelist_usernames, teams: rule.whitelist_teams }))

/** The rules for tags. */
export const TagsView = ({
  repository,
  rules,
}: {
  readonly repository: SettingsRepository
  readonly rules: readonly Rule[]
}) => (
  <SettingsFrame repository={repository} part="tags" lead={texts.lead}>
    <RowBox rows={rules} none={texts.none}>
      {(rule) => (
        <li class="row">
          <Icon name="tag" class="muted" />
          <div class="row-main">
            <Link class="row-title mono" to={settingsPath(repository, 'tags', rule.id)}>
              {rule.name_pattern}
            </Link>
            <p class="row-facts">
              {texts.allowed([...(rule.whitelist_usernames ?? []), ...(rule.whitelist_teams ?? [])])}
            </p>
          </div>
          <DeleteButton
            to={settingsPath(repository, 'tags', rule.id, 'delete')}

            label={repositorySettingsTexts.branches.deleteConfirm(rule.name_pattern)}
            confirm={repositorySettingsTexts.branches.deleteConfirm(rule.name_pattern)}
          >
            {shared.delete}
          </DeleteButton>
        </li>
      )}
    </RowBox>
    <Section title={texts.add} id="add_rule">
      <Form to={settingsPath(repository, 'tags')} class="stack" {...candidatesOf(repository)}>
        {showRule()}
        <SubmitRow disabledBecause={repository.fixed}>{texts.add}</SubmitRow>
      </Form>
    </Section>
  </SettingsFrame>
)

/** The form of a rule for tags. */
export const TagRuleView = ({ repository, rule }: { readonly repository: SettingsRepository; readonly rule: Rule }) => (
  <SettingsFrame
    repository={repository}
    part="tags"
    title={repositorySettingsTexts.branches.editTitle(rule.name_pattern)}
    lead={texts.lead}
  >
    <Form isEdit to={settingsPath(repository, 'tags', rule.id)} class="stack" {...candidatesOf(repository)}>
      {showRule(rule)}
      <div class="form-acts">
        <Submit disabledBecause={repository.fixed}>{repositorySettingsTexts.save}</Submit>
        <ButtonLink kind="quiet" to={settingsPath(repository, 'tags')}>
          {shared.cancel}
        </ButtonLink>
      </div>
    </Form>
  </SettingsFrame>
)
