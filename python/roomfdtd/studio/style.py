"""The style sheet of the page."""

STYLE = """
body { --studio-source: #b23a08; --studio-receiver: #1d4ed8; --studio-mark: #900; --studio-halo: 0 0 3px #fff, 0 0 3px #fff, 0 0 5px #fff; }
body.body--dark { --studio-source: #ffb38a; --studio-receiver: #a9c8ff; --studio-mark: #ff9d9d; --studio-halo: 0 0 3px #000, 0 0 3px #000, 0 0 5px #000; }
.studio-grid { display: grid; grid-template-columns: minmax(0, 1fr) 32rem; gap: 16px; width: 100%; }
.studio-view { width: 100%; height: max(320px, calc(100vh - 190px)); border: 1px solid #d5d9e0; border-radius: 6px; overflow: hidden; }
.studio-columns { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); gap: 20px; width: 100%; }
.studio-facts { display: grid; grid-template-columns: auto 1fr; gap: 2px 12px; margin: 0; font-size: 14px; }
.studio-facts dt { color: #4b5563; } .studio-facts dd { margin: 0; } .studio-facts.studio-old dd { color: #667080; }
.studio-side .nicegui-expansion-content { padding: 2px 8px 10px 8px; gap: 4px; }
.studio-side .q-expansion-item .q-item { min-height: 36px; padding: 2px 8px; font-weight: 600; }
.nicegui-content { padding: 4px 12px; gap: 4px; }
.studio-side .q-expansion-item__container { border-bottom: 1px solid #e5e7eb; }
.studio-side .studio-notes .q-item.q-item { padding: 2px 0; min-height: 0; font-weight: 400; }
/* The focus of the keyboard: of fields Quasar draws a border. */
:focus-visible, .cm-editor.cm-focused { outline: 2px solid currentColor; outline-offset: -2px; }
.q-field :focus-visible, .cm-content:focus-visible { outline: none; }
.no-outline:focus-visible { box-shadow: inset 0 0 0 2px currentColor; }  /* Quasar forbids these an outline */
body:not(.body--dark) .cm-activeLine { background: transparent; }
audio:focus-visible { outline-offset: 1px; }
.studio-view:focus-visible { outline-width: 3px; outline-offset: -3px; }
.studio-slider { accent-color: var(--q-primary); min-width: 0; }
.q-field__native, .q-field__input { text-overflow: ellipsis; }
.studio-row .q-field__control { padding: 0 8px; }  /* -12.345 is read whole; arrow keys step */
.studio-row input[type=number] { appearance: textfield; }
.studio-row input::-webkit-inner-spin-button { display: none; }
.sr-only { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
body.body--dark { color-scheme: dark; --q-primary: #4695cb !important; }
.body--dark .studio-view { border-color: #3b4350; }
.body--dark .studio-side .q-expansion-item__container { border-color: #333a45; }
.body--dark .studio-facts.studio-old dd, .body--dark .studio-facts dt, .body--dark .text-gray-600, .body--dark .text-gray-700 { color: #b6bec9; }
.body--dark .bg-slate-50 { background: #1e242d; }
.body--dark .bg-red-50 { background: #4a1d1d; } .body--dark .bg-blue-50 { background: #1c3350; }
.body--dark .bg-primary.text-white { --q-primary: #2b76ac; } .body--dark .text-negative { --q-negative: #ff9a8f; } .body--dark .text-amber-800 { color: #f5c36b; }
.body--dark .q-tab--active { color: #7cc0ee; }
.studio-cards { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 12px; width: 100%; margin-top: 4px; }
.studio-cards > div { display: contents; }
.studio-card { border: 1px solid #e2e6ec; border-radius: 6px; padding: 10px 12px; min-width: 0; gap: 6px; flex-wrap: nowrap; }
.studio-card > .nicegui-echart { flex-grow: 1; }
.body--dark .studio-card { border-color: #333a45; }
.q-btn.q-btn--dense.q-btn--rectangle { padding: 3px 10px; }
.studio-room .q-btn.q-btn--dense.q-btn--rectangle { padding: 3px 5px; }
@media (min-width: 1001px) {  /* the room stays in sight beside its panels */
  .q-tab-panels, .q-tab-panels > .q-panel, .q-tab-panel { overflow: visible !important; }
  .studio-room { position: sticky; top: 44px; align-self: start; }
}
@media (max-width: 1000px) {
  .studio-grid { grid-template-columns: minmax(0, 1fr); }
  .studio-view { height: max(330px, 50vh); }
  .studio-columns { grid-auto-flow: row; }
  .studio-cards { grid-template-columns: minmax(0, 1fr); }
}
@media (pointer: coarse) {  /* a finger needs 40 px */
  .q-btn, .q-tab, .q-toggle, .q-menu .q-item, .studio-side .q-expansion-item .q-item, .studio-side .studio-notes .q-item.q-item { min-height: 40px; }
  .q-btn.q-btn { min-width: 40px !important; min-height: 40px !important; }  /* also of those that state a padding */
  .q-btn.q-btn--round { width: 40px; height: 40px; }
  .studio-slider { height: 40px; }
}
"""
