import { numberText } from '../amounts.ts'
import type { Texts } from '../translation.ts'

/** Texts of the pages of labels. */
export const labelTexts: Texts['labelTexts'] = {
  title: '标记',
  lead: '标记用来给议题和拉取请求分类。',
  organizationLead: '组织的所有仓库除自己的标记外，还可以使用这些标记。',
  create: '新建标记',
  find: '查找标记',
  name: '名称',
  description: '描述',
  color: '颜色',
  exclusive: '互斥',
  exclusiveHint: '名称中的斜杠表示范围，例如 priority/high。一个议题在每个范围内只能有一个标记。',
  archived: '已归档',
  save: '保存标记',
  add: '创建标记',
  issues: (count) => `${numberText(count)} 个开启的议题`,
  empty: '暂无标记',
  emptyLead: '创建标记，例如 bug 或 question，以便给大家写的内容分类。',
  emptyName: '请填写名称。',
  created: (name) => `标记 ${name} 已创建。`,
  saved: (name) => `标记 ${name} 已保存。`,
  deleted: '标记已删除。',
  deleteQuestion: (name) => `要删除标记 ${name} 吗？所有议题都会失去它。`,
  ofOrganization: (name) => `${name} 的标记`,
  edit: (name) => `编辑 ${name}`,
  delete: (name) => `删除 ${name}`,
}
