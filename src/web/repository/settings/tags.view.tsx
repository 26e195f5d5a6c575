import { RowBox } from '../../ui/row-box.tsx'
import type { presentTagRule } from '../../../refs/protection/tag-protection.present.ts'
import { ActButton, Submit } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { uiTexts as shared } from '../../languages/texts.ts'
import { SettingsFrame, settingsPath, type SettingsRepository } from './frame.tsx'
import { repositorySettingsTexts } from '../../languages/texts.ts'

const texts = repositorySettingsTexts.tags

type Rule = Awaited<ReturnType<typeof presentTagRule>>

const usersOf = (rule: Rule): readonly string[] => rule.whitelist_usernames ?? []
const teamsOf = (rule: Rule): readonly string[] => rule.whitelist_teams ?? []

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
            <p class="row-facts">{texts.allowed([...usersOf(rule), ...teamsOf(rule)])}</p>
          </div>
          <ActButton
            to={settingsPath(repository, 'tags', rule.id, 'delete')}
            kind="danger"
            class="small"
            aria-label={repositorySettingsTexts.branches.deleteConfirm(rule.name_pattern)}
            confirm={repositorySettingsTexts.branches.deleteConfirm(rule.name_pattern)}
          >
            {shared.delete}
          </ActButton>
        </li>
      )}
    </RowBox>
    <section class="section" aria-labelledby="add_rule">
      <h2 id="add_rule">{texts.add}</h2>
      <Form to={settingsPath(repository, 'tags')} class="stack">
        <RuleFields />
        <div class="form-acts">
          <Submit disabledBecause={repository.fixed}>{texts.add}</Submit>
        </div>
      </Form>
    </section>
  </SettingsFrame>
)

const RuleFields = ({ rule }: { readonly rule?: Rule }) => (
  <>
    <Field
      name="name_pattern"
      label={texts.pattern}
      hint={texts.patternHint}
      value={rule?.name_pattern}
      required
      placeholder="v*"
    />
    <Field name="users" label={texts.users} hint={texts.usersHint} value={rule && usersOf(rule).join(', ')} isTerse />
    <Field name="teams" label={texts.teams} value={rule && teamsOf(rule).join(', ')} isTerse />
  </>
)

/** The form of a rule for tags. */
export const TagRuleView = ({ repository, rule }: { readonly repository: SettingsRepository; readonly rule: Rule }) => (
  <SettingsFrame
    repository={repository}
    part="tags"
    title={repositorySettingsTexts.branches.editTitle(rule.name_pattern)}
    lead={texts.lead}
  >
    <Form isEdit to={settingsPath(repository, 'tags', rule.id)} class="stack">
      <RuleFields rule={rule} />
      <div class="form-acts">
        <Submit disabledBecause={repository.fixed}>{repositorySettingsTexts.save}</Submit>
        <ButtonLink kind="quiet" to={settingsPath(repository, 'tags')}>
          {shared.cancel}
        </ButtonLink>
      </div>
    </Form>
  </SettingsFrame>
)
