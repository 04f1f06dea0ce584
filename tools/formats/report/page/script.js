"use strict";

const report = JSON.parse(document.getElementById("data").textContent);
let results, last;
const microseconds = (cycles) => cycles / report.cycles_per_microsecond;
const inMicroseconds = (cycles) => `${d3.format(",.2f")(microseconds(cycles))} µs`;
const count = d3.format(",");
const drawn = (section) => d3.select(section).append("div").attr("class", "drawn");

// ---- colours: one per class name, the same in every drawing and in both results -------------------------------------
let classNames;
const palette = ["#3b6fd4", "#d9722e", "#2e8b57", "#b8405e", "#7a5cc4", "#8a6d1f", "#1f8a9e", "#c2549d", "#5d7a2a", "#6b7280"];
const colour = (name) => {
  const index = classNames.indexOf(name);
  if (index < 0) return "#8b95a5";
  const base = d3.hsl(palette[index % palette.length]);
  const round = Math.floor(index / palette.length);
  return d3.hsl(base.h + 17 * round, base.s, Math.min(0.68, base.l + 0.06 * (round % 4))).formatHex();
};

// ---- filter ----------------------------------------------------------------------------------------------------------
const filter = { className: "", text: "" };
let filterListeners = [];
const matches = (row) =>
  (!filter.className || row.name === filter.className) &&
  (!filter.text || row.search.includes(filter.text));

function setUpFilter() {
  const select = d3.select("#class-filter");
  select.property("value", "");
  filter.className = "";
  select.selectAll("option.class").data(classNames).join("option").attr("class", "class").attr("value", (d) => d).text((d) => d);
  select.on("change", (event) => { filter.className = event.target.value; applyFilter(); });
  d3.select("#text-filter").on("input", (event) => { filter.text = event.target.value.trim().toLowerCase(); applyFilter(); });
}

function applyFilter() {
  for (const listener of filterListeners) listener();
  const shown = last.tasks.filter(matches).length;
  const isFiltered = filter.className || filter.text;
  document.getElementById("filter-count").textContent = isFiltered ? `${count(shown)} of ${count(last.tasks.length)} tasks` : "";
}

// ---- data: tasks come as columns ---------------------------------------------------------------------------------------
function readTasks(result) {
  for (const row of result.classes) {
    row.search = [row.name, row.core, row.labels, ...row.hints].join(" ").toLowerCase();
  }
  const columns = result.task_columns;
  result.tasks = columns.start.map((start, index) => {
    const row = result.classes[columns.class[index]];
    const lane = result.lanes[columns.lane[index]];
    return {
      index, start, end: columns.end[index], lane: columns.lane[index], subgraph: columns.subgraph[index],
      waited: columns.waited[index], reason: result.reasons[columns.reason[index]], count: columns.count[index],
      name: row ? row.name : "", row, laneName: lane,
      search: `${row ? row.search : ""} ${lane} subgraph ${columns.subgraph[index]}`.toLowerCase(),
    };
  });
}

// ---- summary -----------------------------------------------------------------------------------------------------------
function drawSummary() {
  const section = drawn("#summary");
  section.append("dl").attr("class", "numbers").selectAll("div").data(last.numbers).join("div")
    .attr("id", (d) => `number-${d.id}`)
    .html("").each(function (d) {
      d3.select(this).append("dt").text(d.name);
      d3.select(this).append("dd").text(d.text);
    });
  for (const remark of last.remarks) section.append("p").text(remark);
  if (results.length > 1) drawComparison(section);
}

function drawComparison(section) {
  const [before, after] = results;
  section.append("h3").text("Before and after");
  const table = section.append("div").attr("class", "scroll").append("table").attr("id", "comparison");
  const head = table.append("thead").append("tr");
  for (const [text, isNumber] of [["", false], [before.name, true], [after.name, true], ["change", true]]) {
    head.append("th").attr("scope", "col").classed("number", isNumber).text(text);
  }
  const body = table.append("tbody");
  before.numbers.forEach((number, index) => {
    const other = after.numbers[index];
    const row = body.append("tr");
    row.append("th").attr("scope", "row").text(number.name);
    row.append("td").attr("class", "number").text(number.text);
    row.append("td").attr("class", "number").text(other.text);
    const cell = row.append("td").attr("class", "number");
    if (number.value === null || other.value === null || !number.value) return;
    const change = (other.value - number.value) / number.value;
    const isBetter = number.better === "lower" ? change < 0 : number.better === "higher" ? change > 0 : null;
    cell.text(change ? d3.format("+.1%")(change) : "equal");
    if (change && isBetter !== null) cell.attr("class", `number ${isBetter ? "better" : "worse"}`);
  });
}

// ---- class table ---------------------------------------------------------------------------------------------------------
function drawClasses() {
  const section = drawn("#classes");
  for (const result of results) {
    if (results.length > 1) section.append("h3").text(result.name);
    const table = section.append("div").attr("class", "scroll").append("table").attr("class", "classes");
    const head = table.append("thead").append("tr");
    const columns = ["class", "core", "subgraphs", "ops", "cycles each", "time of all", "labels", "hints", "to tune it"];
    columns.forEach((text, index) =>
      head.append("th").attr("scope", "col").classed("number", index > 1 && index < 6).text(text));
    const rows = table.append("tbody").selectAll("tr").data(result.classes).join("tr");
    rows.each(function (row) {
      const line = d3.select(this);
      const name = line.append("th").attr("scope", "row");
      name.append("span").attr("class", "swatch").style("background", colour(row.name));
      name.append("span").text(row.name);
      line.append("td").text(row.core);
      for (const value of [count(row.members), row.operations, row.cycles]) {
        line.append("td").attr("class", "number").text(value);
      }
      line.append("td").attr("class", "number").text(inMicroseconds(row.total_cycles));
      line.append("td").text(row.labels);
      const hints = line.append("td");
      for (const hint of row.hints) hints.append("code").style("display", "block").text(hint);
      const calls = line.append("td");
      for (const call of row.calls) addCall(calls, call);
    });
    filterListeners.push(() => rows.classed("hidden", (row) => !matches(row)));
  }
}

function addCall(parent, text) {
  const line = parent.append("div").attr("class", "call");
  line.append("code").text(text);
  line.append("button").attr("type", "button").attr("aria-label", `Copy ${text}`).text("Copy").on("click", async (event) => {
    const button = event.currentTarget;
    button.textContent = (await copied(text)) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.body.appendChild(document.createElement("textarea"));
    area.value = text;
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

// ---- swimlane --------------------------------------------------------------------------------------------------------------
const LANE = 16, GUTTER = 74, AXIS = 24;

function taskText(task) {
  const many = task.count > 1 ? `${count(task.count)} tasks, ` : "";
  const what = task.row ? `${task.name}, subgraph ${task.subgraph}` : `subgraph ${task.subgraph}`;
  const wait = task.reason ? `; waited ${inMicroseconds(task.waited)}: ${task.reason}` : "";
  return `${many}${what}, ${task.laneName}, ${inMicroseconds(task.start)} to ${inMicroseconds(task.end)} ` +
    `(${count(task.end - task.start)} cycles)${wait}`;
}

function drawSwimlane(result, longest) {
  const section = drawn("#swimlane");
  if (results.length > 1) section.append("h3").text(result.name);
  const width = Math.max(600, section.node().clientWidth);
  const height = AXIS + result.lanes.length * LANE + 4;
  const svg = section.append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("height", height)
    .attr("role", "group").attr("aria-label", `Swimlane of ${result.name}: ${result.tasks.length} tasks on ${result.lanes.length} cores`);
  const x = d3.scaleLinear([0, microseconds(longest)], [GUTTER, width - 8]);
  const clip = `lanes-${results.indexOf(result)}`;
  svg.append("clipPath").attr("id", clip).append("rect").attr("x", GUTTER).attr("y", AXIS).attr("width", width - GUTTER).attr("height", height - AXIS);
  svg.selectAll("rect.lane").data(result.lanes).join("rect").attr("class", "lane")
    .attr("x", GUTTER).attr("y", (_, index) => AXIS + index * LANE).attr("width", width - GUTTER).attr("height", LANE - 2);
  svg.selectAll("text.core").data(result.lanes).join("text").attr("class", "core")
    .attr("x", GUTTER - 6).attr("y", (_, index) => AXIS + index * LANE + 11).attr("text-anchor", "end").text((d) => d);
  const axis = svg.append("g").attr("class", "axis").attr("transform", `translate(0, ${AXIS})`);
  const drawAxis = (scale) => axis.call(d3.axisTop(scale).ticks(10).tickFormat((d) => `${d} µs`));
  drawAxis(x);
  const content = svg.append("g").attr("clip-path", `url(#${clip})`).append("g");
  const rectangles = content.selectAll("rect.task").data(result.tasks).join("rect").attr("class", "task")
    .attr("x", (d) => x(microseconds(d.start))).attr("width", (d) => Math.max(0.4, x(microseconds(d.end)) - x(microseconds(d.start))))
    .attr("y", (d) => AXIS + d.lane * LANE).attr("height", LANE - 2).attr("fill", (d) => colour(d.name))
    .attr("role", "img").attr("tabindex", -1).attr("aria-label", taskText)
    .on("mouseenter focus", (event, task) => choose(event.currentTarget, task))
    .on("click", (event) => event.currentTarget.focus());
  const nodes = rectangles.nodes();
  if (nodes.length) nodes[0].setAttribute("tabindex", 0);

  function choose(node, task) {
    document.getElementById("task-details").textContent = taskText(task);
    content.selectAll(".chosen").classed("chosen", false);
    node.classList.add("chosen");
  }

  const zoom = d3.zoom().scaleExtent([1, 2000]).extent([[GUTTER, 0], [width, height]])
    .translateExtent([[GUTTER, -Infinity], [width, Infinity]])
    .on("zoom", ({ transform }) => {
      content.attr("transform", `translate(${transform.x}, 0) scale(${transform.k}, 1)`);
      drawAxis(transform.rescaleX(x));
    });
  svg.call(zoom).on("dblclick.zoom", null);
  svg.on("keydown", (event) => {
    if (event.key === "+" || event.key === "=") svg.call(zoom.scaleBy, 2);
    else if (event.key === "-") svg.call(zoom.scaleBy, 0.5);
    else if (event.key === "0") svg.call(zoom.transform, d3.zoomIdentity);
    else if (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End") moveFocus(event);
    else return;
    event.preventDefault();
  });

  const byLane = d3.group([...result.tasks].sort((a, b) => a.start - b.start), (task) => task.lane);
  function moveFocus(event) {
    const current = d3.select(document.activeElement).datum();
    if (!current || current.lane === undefined) return;
    const lane = byLane.get(current.lane);
    const place = lane.indexOf(current);
    let next;
    if (event.key === "ArrowRight") next = lane[place + 1];
    else if (event.key === "ArrowLeft") next = lane[place - 1];
    else if (event.key === "Home") next = lane[0];
    else if (event.key === "End") next = lane[lane.length - 1];
    else next = neighbour(current, event.key === "ArrowDown" ? 1 : -1);
    if (!next) return;
    nodes[current.index].setAttribute("tabindex", -1);
    nodes[next.index].setAttribute("tabindex", 0);
    const shown = d3.zoomTransform(svg.node()).rescaleX(x).domain();
    if (microseconds(next.start) < shown[0] || microseconds(next.end) > shown[1]) {
      svg.call(zoom.translateTo, x(microseconds((next.start + next.end) / 2)), 0);
    }
    nodes[next.index].focus({ preventScroll: true });
  }
  function neighbour(task, step) {
    for (let lane = task.lane + step; lane >= 0 && lane < result.lanes.length; lane += step) {
      const tasks = byLane.get(lane);
      if (tasks) return tasks[Math.min(tasks.length - 1, d3.bisector((d) => d.start).left(tasks, task.start))];
    }
    return undefined;
  }
  filterListeners.push(() => rectangles.classed("dim", (task) => !matches(task)));
}

// ---- subgraph graph ----------------------------------------------------------------------------------------------------------
const NODE_WIDTH = 44, NODE_HEIGHT = 20, NARROWEST_COLUMN = 96, WIDEST_COLUMN = 2400, ROW = 30;

function drawGraph(result) {
  const section = drawn("#graph");
  if (results.length > 1) section.append("h3").text(result.name);
  const graph = result.graph;
  const width = Math.max(600, section.node().clientWidth);
  const height = 480;
  const rowsOfColumn = d3.rollup(graph.nodes, (column) => column.length, (node) => node[2]);
  const mostRows = d3.max(rowsOfColumn.values()) || 1;
  const scale = Math.min(1, height / (48 + mostRows * ROW));
  const spacing = (width / scale - 80) / Math.max(1, rowsOfColumn.size - 1);
  const columnWidth = Math.min(WIDEST_COLUMN, Math.max(NARROWEST_COLUMN, spacing));
  const nodes = graph.nodes.map(([subgraph, classIndex, column, row], index) => {
    const owner = result.classes[classIndex];
    const name = owner ? owner.name : "";
    return {
      index, subgraph, name, owner, x: 40 + column * columnWidth,
      y: 24 + (row + (mostRows - rowsOfColumn.get(column)) / 2) * ROW,
      search: `${owner ? owner.search : ""} subgraph ${subgraph}`.toLowerCase(),
    };
  });
  const svg = section.append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("height", height)
    .attr("role", "group").attr("aria-label", `Graph of ${nodes.length} subgraphs and ${graph.edges.length} edges`);
  const content = svg.append("g");
  const path = ([from, to]) => {
    const a = nodes[from], b = nodes[to];
    const middle = (a.x + b.x) / 2;
    return `M${a.x + NODE_WIDTH / 2},${a.y}C${middle},${a.y} ${middle},${b.y} ${b.x - NODE_WIDTH / 2},${b.y}`;
  };
  const edges = content.selectAll("path.edge").data(graph.edges).join("path").attr("class", "edge").attr("d", path);
  const groups = content.selectAll("g.node").data(nodes).join("g").attr("class", "node")
    .attr("transform", (d) => `translate(${d.x}, ${d.y})`).attr("tabindex", (d) => (d.index ? -1 : 0)).attr("role", "img")
    .attr("aria-label", (d) => `subgraph ${d.subgraph}, ${d.name}`)
    .on("mouseenter focus", (event, node) => choose(event.currentTarget, node))
    .on("click", (event) => event.currentTarget.focus());
  groups.append("rect").attr("x", -NODE_WIDTH / 2).attr("y", -NODE_HEIGHT / 2).attr("rx", 5)
    .attr("width", NODE_WIDTH).attr("height", NODE_HEIGHT).attr("fill", (d) => colour(d.name));
  groups.append("text").attr("y", 4).text((d) => d.subgraph);
  const elements = groups.nodes();

  function choose(element, node) {
    content.selectAll(".chosen").classed("chosen", false);
    element.classList.add("chosen");
    edges.classed("near", ([from, to]) => from === node.index || to === node.index);
    const before = graph.edges.filter((edge) => edge[1] === node.index).map((edge) => nodes[edge[0]].subgraph);
    const after = graph.edges.filter((edge) => edge[0] === node.index).map((edge) => nodes[edge[1]].subgraph);
    const list = (ids) => (ids.length > 12 ? `${ids.slice(0, 12).join(", ")} and ${ids.length - 12} more` : ids.join(", ") || "none");
    document.getElementById("node-details").textContent =
      `Subgraph ${node.subgraph}, ${node.owner ? `${node.name}, ${node.owner.core}, ${node.owner.cycles} cycles` : "no class"}; ` +
      `reads from ${list(before)}; read by ${list(after)}`;
  }

  const right = d3.max(nodes, (d) => d.x) + 40 || width;
  const bottom = d3.max(nodes, (d) => d.y) + 24 || height;
  const fit = Math.min(1, width / right, height / bottom);
  const zoom = d3.zoom().scaleExtent([Math.min(fit, 0.02), 4]).on("zoom", ({ transform }) => content.attr("transform", transform));
  const reset = () => svg.call(zoom.transform, d3.zoomIdentity.scale(fit));
  svg.call(zoom).on("dblclick.zoom", null);
  reset();
  svg.on("keydown", (event) => {
    const current = d3.select(document.activeElement).datum();
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "+" || event.key === "=") svg.call(zoom.scaleBy, 1.5);
    else if (event.key === "-") svg.call(zoom.scaleBy, 1 / 1.5);
    else if (event.key === "0") reset();
    else if (step && current && elements[current.index + step]) {
      elements[current.index].setAttribute("tabindex", -1);
      const next = elements[current.index + step];
      next.setAttribute("tabindex", 0);
      next.focus({ preventScroll: true });
    } else return;
    event.preventDefault();
  });
  filterListeners.push(() => groups.classed("dim", (node) => !matches(node)));
}

// ---- one function at a time --------------------------------------------------------------------------------------------
report.functions.forEach(({ results: own }) => own.forEach(readTasks));

function draw(index) {
  results = report.functions[index].results;
  last = results[results.length - 1];
  classNames = [...new Set(results.flatMap((result) => result.classes.map((row) => row.name)))];
  filterListeners = [];
  d3.selectAll("section > .drawn").remove();
  setUpFilter();
  drawSummary();
  drawClasses();
  const longest = d3.max(results, (result) => d3.max(result.tasks, (task) => task.end)) || 1;
  for (const result of results) drawSwimlane(result, longest);
  for (const result of results) drawGraph(result);
  applyFilter();
}

const functionChoice = d3.select("#function-choice");
functionChoice.selectAll("option").data(report.functions).join("option")
  .attr("value", (_, index) => index).text((entry) => `@${entry.name}`);
functionChoice.on("change", (event) => draw(Number(event.target.value)));
draw(0);
