// Shows the HTML of a view. A click on a heading sorts by its column; the buttons turn pages and stop the view.
function render({ model, el }) {
  const body = document.createElement("div");
  const bar = document.createElement("div");
  const find = document.createElement("input");
  find.type = "search";
  find.placeholder = "search";
  const wanted = { page: 0 };
  const ask = (change) => {
    Object.assign(wanted, change);
    model.send({ do: "show", wanted });
  };
  const button = (text, act) => {
    const made = document.createElement("button");
    made.textContent = text;
    made.addEventListener("click", act);
    bar.append(made);
    return made;
  };
  if (model.get("has_rows")) {
    bar.append(find);
    find.addEventListener("input", () => ask({ find: find.value, page: 0 }));
    button("‹", () => ask({ page: Math.max(0, wanted.page - 1) }));
    button("›", () => ask({ page: wanted.page + 1 }));
  }
  const stop = button("stop", () => model.send({ do: "stop" }));
  body.addEventListener("click", (event) => {
    const heading = event.target.closest("th");
    if (heading === null) return;
    const order = wanted.sort === heading.cellIndex && wanted.order === "asc" ? "desc" : "asc";
    ask({ sort: heading.cellIndex, order, page: 0 });
  });
  const draw = () => {
    body.innerHTML = model.get("html"); // the kernel has escaped all cells
    stop.hidden = !model.get("runs");
  };
  model.on("change:html", draw);
  model.on("change:runs", draw);
  draw();
  el.append(bar, body);
}

export default { render };
