import type { Texts } from '../translation.ts'

/** Texts of the form of a picture. */
export const pictureTexts: Texts['pictureTexts'] = {
  heading: '头像',
  file: '新头像',
  hint: (size) => `PNG、JPEG、GIF 或 WebP，不超过 ${size}。`,
  upload: '上传头像',
  remove: '移除头像',
  removeQuestion: '要移除头像吗？之后会显示自动生成的头像。',
  removeWithoutOther: '要移除头像吗？之后会显示图标。',
  saved: '头像已更改。',
  missing: '请选择图片',
  removed: '头像已移除。',
}
