import type { UserRow } from '../../db/tables/accounts.ts'
import type { OwnedRepo } from '../../repos/lists/browse.service.ts'
import { profileTexts as texts, uiTexts } from '../languages/texts.ts'
import { Submit } from '../ui/button.tsx'
import { formOf, lines } from '../ui/form-fields.tsx'
import { Form } from '../ui/form.tsx'
import { ButtonLink } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { PageHead } from '../ui/parts.tsx'
import { pathOf, siteHref } from '../ui/paths.ts'

/** The pinned repositories as their form names them. */
export const pinsForm = formOf({
  repositories: lines(
    () => ({ label: texts.pinnedNames, hint: texts.pinnedHint, rows: 6, 'data-completes': 'repositories' }),
    { refusals: ['pin'] },
  ),
})

/** Returns the address where the pinned repositories of an account are chosen. */
export const pinsPath = ({ name }: UserRow): string => pathOf(name, '-', 'pins')

export const PinsView = ({ subject, pinned }: { readonly subject: UserRow; readonly pinned: readonly OwnedRepo[] }) => {
  const { config } = usePage()
  const { repositories } = pinsForm.show({
    repositories: pinned.map(({ repo, owner }) => `${owner.name}/${repo.name}`),
  })
  const at = pinsPath(subject)
  return (
    <div class="container">
      <div class="narrow">
        <PageHead title={texts.choosePinned} lead={texts.pinnedLead(subject.name)} />
        <Form isEdit to={at} class="stack" data-candidates-url={siteHref(config, `${at}/candidates`)}>
          {repositories}
          <div class="form-acts">
            <Submit>{uiTexts.save}</Submit>
            <ButtonLink kind="quiet" to={pathOf(subject.name)}>
              {uiTexts.cancel}
            </ButtonLink>
          </div>
        </Form>
      </div>
    </div>
  )
}
