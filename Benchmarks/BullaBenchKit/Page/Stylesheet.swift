/// How the page looks: light or dark as the reader's system is, wide or narrow.
///
/// No colour stands for anything alone: verdicts have a sign and a word, contenders a mark and a
/// pattern of dashes. The colours of both modes keep a contrast of at least 3 to 1 as lines, and
/// 4.5 to 1 as text.
enum Stylesheet {
    static let text: StaticString = """

        :root {
          color-scheme: light dark;
          --paper: #ffffff; --raised: #f5f6f8; --ink: #1a1e24; --soft: #5a6370; --rule: #dfe3e8;
          --axis: #7b8490; --met: #00684a; --missed: #b3261e; --undecided: #7a5700;
          --s0: #5b6470; --s1: #0b62a8; --s2: #b35900; --s3: #00755e; --s4: #9c3d8f;
          --s5: #836700; --s6: #b8321f; --s7: #1f7fa6; --s8: #3b2f7d;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #14171b; --raised: #1d2127; --ink: #e8ebef; --soft: #a3acb8; --rule: #2f353d;
            --axis: #808a97; --met: #4fc99a; --missed: #ff8a80; --undecided: #e3b341;
            --s0: #a9b2bd; --s1: #5aaef0; --s2: #f0a04b; --s3: #3fc9a5; --s4: #dd8fd3;
            --s5: #d9c04a; --s6: #f58a76; --s7: #86d3ef; --s8: #a79df2;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0; background: var(--paper); color: var(--ink);
          font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
          font-variant-numeric: tabular-nums; -webkit-text-size-adjust: 100%;
        }
        main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 64px; }
        header { border-left: 6px solid var(--tone); padding: 4px 0 4px 22px; }
        header.met { --tone: var(--met); } header.missed { --tone: var(--missed); }
        header.undecided { --tone: var(--undecided); } header.open { --tone: var(--s1); }
        h1 { font-size: 44px; line-height: 1.1; margin: 6px 0 14px; color: var(--tone); }
        h2 { font-size: 21px; margin: 52px 0 14px; }
        h3 { font-size: 15px; margin: 22px 0 6px; }
        p { margin: 0 0 8px; }
        .origin, .note, dt, small { color: var(--soft); }
        .origin { font-size: 13px; }
        .lead { font-size: 19px; line-height: 1.4; max-width: 46em; }
        .failure, .warning {
          margin: 12px 0; padding: 10px 14px; border-radius: 6px; max-width: 60em;
          background: var(--raised); border: 1px solid var(--undecided);
          overflow-wrap: anywhere;
        }
        .failure { border: 2px solid var(--missed); }
        .failure strong { color: var(--missed); } .warning strong { color: var(--undecided); }
        table { width: 100%; border-collapse: collapse; font-size: 14px; }
        th { text-align: left; font-weight: 600; vertical-align: bottom; }
        thead th { padding: 0 10px 6px; color: var(--soft); font-size: 13px; }
        thead .number { white-space: normal; }
        thead th.plot { padding-bottom: 0; }
        thead th.plot span { display: block; }
        tbody { border-top: 1px solid var(--rule); }
        .group th { padding: 12px 10px 2px; overflow-wrap: anywhere; }
        .group .note, figcaption .note {
          display: block; font-weight: 400; font-size: 12.5px; overflow-wrap: anywhere;
        }
        td { padding: 3px 10px; vertical-align: middle; }
        tbody tr:last-child td { padding-bottom: 12px; }
        th:first-child, td:first-child { padding-left: 0; }
        th:last-child, td:last-child { padding-right: 0; }
        .number { text-align: right; white-space: nowrap; }
        .plot { width: 232px; }
        .series { display: inline-flex; align-items: center; gap: 6px; }
        .name { overflow-wrap: break-word; }
        .key { width: 12px; height: 12px; flex: none; }
        .stack { display: grid; gap: 4px; justify-items: inherit; }
        .badge { white-space: nowrap; font-weight: 600; }
        .badge.met { color: var(--met); } .badge.missed { color: var(--missed); }
        .badge.undecided { color: var(--undecided); }
        .figures {
          display: grid; gap: 28px 40px;
          grid-template-columns: repeat(auto-fill, minmax(min(100%, 430px), 1fr));
        }
        figure { margin: 0; min-width: 0; }
        figcaption { margin-bottom: 8px; }
        .chart { display: block; width: 100%; max-width: 520px; height: auto; }
        .ratio { display: block; width: 230px; max-width: 100%; height: auto; }
        svg text { font-size: 11.5px; font-weight: 400; fill: var(--soft); }
        svg text.value { fill: var(--ink); font-weight: 600; }
        .grid { stroke: var(--rule); stroke-width: 1; }
        .axis { stroke: var(--axis); stroke-width: 1; }
        .target { stroke: var(--ink); stroke-width: 1.3; stroke-dasharray: 3 2.5; }
        .whisker, .error { stroke: var(--ink); stroke-width: 1.4; }
        .bar { fill: var(--shade); opacity: 0.85; }
        .mark { fill: var(--shade); stroke: var(--paper); stroke-width: 1; }
        .curve { fill: none; stroke: var(--shade); stroke-width: 1.9; stroke-linejoin: round; }
        .error { stroke: var(--shade); }
        .s0 { --shade: var(--s0); } .s1 { --shade: var(--s1); } .s2 { --shade: var(--s2); }
        .s3 { --shade: var(--s3); } .s4 { --shade: var(--s4); } .s5 { --shade: var(--s5); }
        .s6 { --shade: var(--s6); } .s7 { --shade: var(--s7); } .s8 { --shade: var(--s8); }
        .interval { fill: var(--tone); opacity: 0.35; }
        .whisker.met, .interval.met, .dot.met { --tone: var(--met); }
        .whisker.missed, .interval.missed, .dot.missed { --tone: var(--missed); }
        .whisker.undecided, .interval.undecided, .dot.undecided { --tone: var(--undecided); }
        .whisker.open, .interval.open, .dot.open { --tone: var(--s1); }
        .ratio .whisker { stroke: var(--tone); } .dot { fill: var(--tone); }
        dl { display: grid; grid-template-columns: 180px minmax(0, 1fr); gap: 4px 20px; margin: 0; }
        dd { margin: 0; overflow-wrap: anywhere; max-width: 56em; }
        ul { margin: 0; padding-left: 20px; } li { overflow-wrap: anywhere; }
        @media (max-width: 760px) {
          main { padding: 20px 16px 48px; }
          h1 { font-size: 34px; } .lead { font-size: 17px; } header { padding-left: 14px; }
          table, tbody, thead, tr, th, td { display: block; }
          thead th { display: none; }
          thead th.plot { display: block; padding: 0; margin-bottom: 8px; }
          td, .group th { padding: 2px 0; }
          tbody tr:last-child td { padding-bottom: 2px; }
          tbody { padding: 8px 0; }
          td { display: flex; justify-content: space-between; gap: 16px; white-space: normal; }
          td::before { content: attr(data-label); color: var(--soft); }
          td.name { padding-top: 8px; font-weight: 600; }
          td.name::before, td.plot::before { content: none; }
          td.plot:has(.stack:empty), td.verdict:has(.stack:empty) { display: none; }
          td.number:has(.note:empty) { display: none; }
          .plot { width: auto; } .ratio { width: 300px; }
          dl { grid-template-columns: 1fr; gap: 0; }
          dd { margin-bottom: 8px; }
        }
        @media print {
          main { max-width: none; padding: 0; }
          figure, tbody { break-inside: avoid; }
        }

        """
}
