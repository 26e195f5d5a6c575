import { workflowBadgePath, workflowPath } from './actions-paths.ts'
import type { ListedWorkflow } from '../../actions/workflows/workflow-list.service.ts'
import type { DispatchInput } from '../../actions/workflows/workflow.parse.ts'
import { ActButton, Submit } from '../ui/button.tsx'
import { Field, Select } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { usePage } from '../ui/page-context.ts'
import { CopyField, Menu } from '../ui/parts.tsx'
import { siteHref } from '../ui/paths.ts'
import { actionsPath } from './actions-paths.ts'
import { texts as all } from './texts.tsx'
import type { WorkflowsProps } from './workflows-props.ts'

const texts = all.list

type Props = WorkflowsProps & { readonly workflow: ListedWorkflow }

/** Badge, switch and start of one workflow. */
export function WorkflowActs(props: Props) {
  const { workflow, may } = props
  const { id, parsed } = workflow.file
  const isDispatched = parsed.ok && parsed.workflow.triggers.some(({ event }) => event === 'workflow_dispatch')
  return (
    <>
      <BadgeMenu {...props} />
      {may.configure ? (
        <ActButton
          to={workflowPath(props, id, workflow.isDisabled ? 'enable' : 'disable')}
          icon={workflow.isDisabled ? 'check' : 'no-entry'}
        >
          {workflow.isDisabled ? texts.enable : texts.disable}
        </ActButton>
      ) : null}
      {may.run && isDispatched ? <DispatchMenu {...props} inputs={parsed.workflow.inputs} /> : null}
    </>
  )
}

function BadgeMenu(props: Props) {
  const { config } = usePage()
  const { id } = props.workflow.file
  const root = config.server.rootUrl.slice(0, -1)
  const badge = workflowBadgePath(props, id)
  const markdown = `[![${id.replaceAll(/[[\]]/g, '')}](${root}${badge})](${root}${actionsPath(props, { workflow: id })})`
  return (
    <Menu
      align="end"
      class="badge-menu"
      label={
        <>
          <Icon name="shield" />
          {texts.badge}
        </>
      }
    >
      <div class="menu-form stack tight">
        <p>
          <img src={siteHref(config, badge)} alt="" height={20} loading="lazy" />
        </p>
        <CopyField text={markdown} label={texts.badgeLabel} />
        <p class="hint">{texts.badgeHint}</p>
      </div>
    </Menu>
  )
}

const DispatchMenu = (props: Props & { readonly inputs: readonly DispatchInput[] }) => (
  <Menu
    align="end"
    kind="primary"
    class="dispatch-menu"
    label={
      <>
        <Icon name="play" />
        {texts.dispatch}
      </>
    }
  >
    <Form to={workflowPath(props, props.workflow.file.id, 'dispatch')} class="menu-form stack">
      <Field name="ref" label={texts.dispatchRef} value={props.repo.default_branch} required list="dispatch-refs" />
      <datalist id="dispatch-refs">
        {props.facets.branches
          .filter((branch) => !branch.startsWith('#'))
          .map((branch) => (
            <option value={branch} />
          ))}
      </datalist>
      {/* A first pair, so that one input is sent as a list too. */}
      <input type="hidden" name="name" value="" />
      <input type="hidden" name="value" value="" />
      {props.inputs.map((input, at) => (
        <>
          <input type="hidden" name="name" value={input.name} />
          <InputField input={input} id={`input_${at}`} />
        </>
      ))}
      {props.inputs.length === 0 ? null : <p class="hint">{texts.dispatchOnOther}</p>}
      <div class="form-acts">
        <Submit icon="play">{texts.dispatchStart}</Submit>
      </div>
    </Form>
  </Menu>
)

/** One input by its type; the name is the hint when a description replaces it. */
function InputField({ input, id }: { readonly input: DispatchInput; readonly id: string }) {
  const { name, description, type, isRequired, fallback, options } = input
  const common = {
    name: 'value',
    id,
    label: description || name,
    hint: description === '' ? undefined : <code>{name}</code>,
  }
  if (type === 'boolean') {
    return (
      <Select
        {...common}
        value={fallback === 'true' ? 'on' : 'off'}
        choices={[
          { value: 'on', label: texts.yes },
          { value: 'off', label: texts.no },
        ]}
      />
    )
  }
  if (type === 'choice' && options.length > 0) {
    return (
      <Select
        {...common}
        value={fallback}
        required={isRequired}
        choices={[
          ...(isRequired || fallback !== '' ? [] : [{ value: '', label: texts.noChoice }]),
          ...options.map((value) => ({ value, label: value })),
        ]}
      />
    )
  }
  return (
    <Field
      {...common}
      type={type === 'number' ? 'number' : 'text'}
      value={fallback}
      required={isRequired && fallback === ''}
    />
  )
}
